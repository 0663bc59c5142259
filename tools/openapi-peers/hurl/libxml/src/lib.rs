//! What hurl_core needs of libxml to be compiled. It parses bodies in XML with it, and here are none: every function panics.
#![allow(non_snake_case, non_camel_case_types, clippy::missing_safety_doc)]

pub mod bindings {
    use std::os::raw::{c_char, c_int, c_uint, c_void};

    pub type xmlChar = u8;
    pub type xmlSAXHandlerPtr = *mut xmlSAXHandler;
    pub const XML_SAX2_MAGIC: c_uint = 0xDEED_BEAF;

    type Unused = Option<unsafe extern "C" fn()>;
    type OfDocument = Option<unsafe extern "C" fn(*mut c_void)>;
    type StartOfElement = Option<
        unsafe extern "C" fn(
            *mut c_void,
            *const xmlChar,
            *const xmlChar,
            *const xmlChar,
            c_int,
            *mut *const xmlChar,
            c_int,
            c_int,
            *mut *const xmlChar,
        ),
    >;
    type EndOfElement = Option<unsafe extern "C" fn(*mut c_void, *const xmlChar, *const xmlChar, *const xmlChar)>;

    pub struct xmlSAXHandler {
        pub internalSubset: Unused,
        pub isStandalone: Unused,
        pub hasInternalSubset: Unused,
        pub hasExternalSubset: Unused,
        pub resolveEntity: Unused,
        pub getEntity: Unused,
        pub entityDecl: Unused,
        pub notationDecl: Unused,
        pub attributeDecl: Unused,
        pub elementDecl: Unused,
        pub unparsedEntityDecl: Unused,
        pub setDocumentLocator: Unused,
        pub startElement: Unused,
        pub endElement: Unused,
        pub reference: Unused,
        pub characters: Unused,
        pub ignorableWhitespace: Unused,
        pub processingInstruction: Unused,
        pub comment: Unused,
        pub warning: Unused,
        pub error: Unused,
        pub fatalError: Unused,
        pub getParameterEntity: Unused,
        pub cdataBlock: Unused,
        pub externalSubset: Unused,
        pub serror: Unused,
        pub initialized: c_uint,
        pub _private: *mut c_void,
        pub startDocument: OfDocument,
        pub endDocument: OfDocument,
        pub startElementNs: StartOfElement,
        pub endElementNs: EndOfElement,
    }

    pub unsafe fn xmlCreatePushParserCtxt(
        _: xmlSAXHandlerPtr,
        _: *mut c_void,
        _: *const c_char,
        _: c_int,
        _: *const c_char,
    ) -> *mut c_void {
        unimplemented!("XML is not parsed here")
    }

    pub unsafe fn xmlParseChunk(_: *mut c_void, _: *const c_char, _: c_int, _: c_int) -> c_int {
        unimplemented!("XML is not parsed here")
    }

    pub unsafe fn xmlFreeParserCtxt(_: *mut c_void) {
        unimplemented!("XML is not parsed here")
    }
}
