//! Compile-time checks that public types can cross threads.

use crate::{
    Accepted, Ajv, AjvError, AjvOptions, AjvOracle, Canonical, Canonicalizer, Diagnostic, Document,
    Error, Graph, Location, NameIndex, NotExpressible, Oracle, Pattern, Pointer, Position,
    ReadOptions, Rejected, Relaxation, Shape, Violation,
};

const fn assert_send_and_sync<T: Send + Sync>() {}

const _: () = {
    assert_send_and_sync::<Accepted>();
    assert_send_and_sync::<Ajv>();
    assert_send_and_sync::<AjvError>();
    assert_send_and_sync::<AjvOptions>();
    assert_send_and_sync::<AjvOracle>();
    assert_send_and_sync::<Canonical>();
    assert_send_and_sync::<Canonicalizer>();
    assert_send_and_sync::<Diagnostic>();
    assert_send_and_sync::<Document>();
    assert_send_and_sync::<Error>();
    assert_send_and_sync::<Graph>();
    assert_send_and_sync::<Location>();
    assert_send_and_sync::<NameIndex>();
    assert_send_and_sync::<NotExpressible>();
    assert_send_and_sync::<crate::openapi::Api>();
    assert_send_and_sync::<Oracle>();
    assert_send_and_sync::<Pattern>();
    assert_send_and_sync::<Pointer>();
    assert_send_and_sync::<Position>();
    assert_send_and_sync::<ReadOptions>();
    assert_send_and_sync::<Rejected>();
    assert_send_and_sync::<Relaxation>();
    assert_send_and_sync::<Shape>();
    assert_send_and_sync::<Violation>();
};
