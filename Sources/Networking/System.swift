// Differences between operating systems that concern more than one file.

#if canImport(FoundationNetworking)
// On Linux, the types of URL requests and responses are in a module of their own. They occur in public declarations of
// Networking, so Networking exports that module.
@_exported import FoundationNetworking
#endif
