/// An act on a status: makes it a favourite or repeats it, or takes that back.
public struct StatusAct: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        case favourite
        case reblog
    }

    public var kind: Kind
    public var isOn: Bool
    public var id: Status.ID

    public init(_ kind: Kind, _ isOn: Bool, _ id: Status.ID) {
        self.kind = kind
        self.isOn = isOn
        self.id = id
    }

    /// Makes the act that a press of the button stands for, given the status as it is shown.
    init(toggling kind: Kind, of status: Status) {
        switch kind {
        case .favourite: self.init(.favourite, !(status.isFavourite ?? false), status.id)
        case .reblog: self.init(.reblog, !(status.isReblogged ?? false), status.id)
        }
    }

    @Sendable
    func apply(to status: inout Status) {
        switch kind {
        case .favourite: status.setFavourite(isOn)
        case .reblog: status.setReblogged(isOn)
        }
    }
}
