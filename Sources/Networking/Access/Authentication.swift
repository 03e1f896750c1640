/// A kind of credentials that a resource needs. It is used as a type, never as a value.
public protocol Authentication: Sendable {
    /// The name of the kind in messages.
    static var name: String { get }
}

/// Authentication that puts credentials on a request.
public protocol CredentialedAuthentication: Authentication {}

/// No authentication, for resources that anyone may ask for.
public enum NoAuth: Authentication {
    public static let name = "no authentication"
}

/// The authentication of resources behind the API gateway.
public enum KongAuth: CredentialedAuthentication {
    public static let name = "Kong"
}

/// The authentication of resources of the clinical services.
public enum ClinicalAuth: CredentialedAuthentication {
    public static let name = "Clinical"
}
