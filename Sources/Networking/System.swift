// The differences between systems that more than one file meets.

#if canImport(FoundationNetworking)
// On Linux, the types of URL requests and responses have a module of their own. They occur in public declarations here, so
// whoever imports Networking has them too.
@_exported import FoundationNetworking
#endif
