use foolproof_contract::*;
use std::time::Instant;
fn main() {
    with_large_stack(|| {
        let base = "../shared/corpus/";
        let only = std::env::args().nth(1);
        let idx = std::fs::read_to_string(format!("{base}index.jsonl")).unwrap();
        let mut times = vec![];
        let mut files: Vec<String> = idx
            .lines()
            .map(|l| {
                let v: serde_json::Value = serde_json::from_str(l).unwrap();
                v["path"].as_str().unwrap().to_owned()
            })
            .collect();
        for f in std::fs::read_dir(format!("{base}openapi")).unwrap() {
            files.push(format!("openapi/{}", f.unwrap().file_name().to_str().unwrap()));
        }
        let mut relaxed = 0;
        for p in files {
            if only.as_ref().is_some_and(|o| !p.contains(o.as_str())) {
                continue;
            }
            let t = Instant::now();
            let doc = match Document::open(format!("{base}{p}")) {
                Ok(d) => d,
                Err(e) => {
                    println!("ERR {e}");
                    continue;
                }
            };
            let mut c = match Canonicalizer::new(&doc, Formats::Assert) {
                Ok(g) => g,
                Err(e) => {
                    println!("GRAPH {e}");
                    continue;
                }
            };
            let t1 = t.elapsed();
            let d = c.diagnose();
            let t2 = t.elapsed();
            times.push(t2);
            if !c.relaxed().is_empty() {
                relaxed += 1;
                println!("RELAXED {p}");
                for r in c.relaxed() {
                    println!("    {} {} {} : {}", r.pointer(), r.keyword(), r.effect(), r.reason())
                }
            }
            if t2.as_millis() > 300 {
                println!("SLOW {p} {} canon {t1:?} total {t2:?}", doc.kind())
            }
            let real: Vec<_> = d.iter().filter(|d| !d.is_intended()).collect();
            if !real.is_empty() {
                println!("{p} unsat {}", real.len());
                for d in real.iter().take(4) {
                    println!("    {} {} {d}", d.code(), d.pointer())
                }
            }
            if c.root().satisfiable() == Verdict::No {
                println!("UNSATISFIABLE {p}")
            }
        }
        times.sort();
        println!("relaxed {relaxed} median {:?} max {:?}", times[times.len() / 2], times.last());
    });
}
