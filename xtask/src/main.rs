use foolproof_contract::*; use std::time::Instant;
fn main(){
  with_large_stack(||{
  let base="../shared/corpus/";
  let idx=std::fs::read_to_string(format!("{base}index.jsonl")).unwrap();
  let mut times=vec![]; let mut files:Vec<(String,Option<String>)>=idx.lines().map(|l|{let v:serde_json::Value=serde_json::from_str(l).unwrap();(v["path"].as_str().unwrap().to_owned(),Some(v["draft"].as_str().unwrap().to_owned()))}).collect();
  for f in std::fs::read_dir(format!("{base}openapi")).unwrap(){files.push((format!("openapi/{}",f.unwrap().file_name().to_str().unwrap()),None));}
  for (p,d) in files {
    let t=Instant::now();
    let doc=match Document::open(format!("{base}{p}")){Ok(d)=>d,Err(e)=>{println!("ERR {e}");continue}};
    let t1=t.elapsed();
    if let Some(d)=d { if doc.draft().name()!=d {println!("DRAFT {p} {} {d}",doc.draft())} }
    let g=match Graph::of(&doc){Ok(g)=>g,Err(e)=>{println!("GRAPH {e}");continue}};
    let t2=t.elapsed();
    times.push(t2);
    if t2.as_millis()>150 || p.starts_with("openapi") {println!("{p} {} read {t1:?} graph {:?} nodes {} entries {} unreached {} ops {} ext {:?}",doc.kind(),t2-t1,g.nodes().len(),g.entries().len(),g.unreached_definitions().len(),doc.operations().len(),g.external_resources().collect::<Vec<_>>())}
  }
  times.sort(); println!("median {:?} max {:?}",times[times.len()/2],times.last());
  });
}
