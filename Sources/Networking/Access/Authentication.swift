/// Which credentials a resource needs. Only ever a type, never a value.
public protocol Authentication: Sendable {
    /// How it is called in messages.
    static var name: String { get }
}

/// Authentication that puts credentials on a request.
public protocol CredentialedAuthentication: Authentication {}

/// For resources that anyone may ask for.
public enum NoAuth: Authentication {
    public static let name = "no authentication"
}

/// For resources behind the API gateway.
public enum KongAuth: CredentialedAuthentication {
    public static let name = "Kong"
}

/// For resources of the clinical services.
public enum ClinicalAuth: CredentialedAuthentication {
    public static let name = "Clinical"
}
