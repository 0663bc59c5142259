"""Writes the workbook that the Excel servers start from. Usage: book.py FILE"""
import sys

from openpyxl import Workbook

book = Workbook()
sheet = book.active
sheet.title = "Sheet1"
for row in [["Name", "Region", "Amount"], ["Ada", "North", 10], ["Bob", "South", 20], ["Cid", "North", 30]]:
    sheet.append(row)
sheet["E1"] = 5
sheet["F1"] = "=E1*2"
book.create_sheet("Sheet2").append(["spare"])
book.save(sys.argv[1])
