import Persistence

/// An author, whom posts link to.
struct Author: Entity, Codable {
    let id: String
    var name = ""
}

/// A post with its author, another post that it quotes, and a property that answers may leave out.
struct Post: Entity, Codable {
    let id: Int
    var text = ""
    var author = Author(id: "a")
    @Indirect var quoted: Post? = nil
    var mentioned: [Author] = []
    var isLiked: Bool?

    mutating func visitLinks(_ visitor: inout LinkVisitor) {
        visitor.visit(&author)
        visitor.visit(&quoted)
        visitor.visit(&mentioned)
    }

    static var partialProperties: [PartialProperty<Post>] { [PartialProperty(\.isLiked)] }

    var byteCount: Int { 100 + text.utf8.count }
}

enum Feed: ListKey, Codable {
    typealias Target = Post

    case home
    case author(String)
}
