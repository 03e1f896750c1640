import Things

extension Thing {
    public static func fixture(id: Int = 1, name: String = "First") -> Thing {
        Thing(id: id, name: name)
    }
}
