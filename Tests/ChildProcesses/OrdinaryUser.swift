import Foundation

/// For exit tests about files that may not be used: root may use every file.
public enum OrdinaryUser {
    private static let places = [
        FileManager.default.temporaryDirectory, URL(filePath: "/tmp"), URL(filePath: "/var/tmp"),
    ]

    /// Takes root's privileges from this process, if it has them, and returns a new folder of the user that it runs as
    /// then.
    ///
    /// If that user cannot use the temporary directory, for example because it is root's alone, the folder is made
    /// elsewhere. Nil if what ``needs`` says is missing.
    public static func folder() -> URL? {
        if geteuid() == 0 {
            guard let nobody = getpwnam("nobody")?.pointee, setgid(nobody.pw_gid) == 0, setuid(nobody.pw_uid) == 0
            else {
                return nil
            }
        }
        for place in places {
            let folder = place.appending(path: "feedback-\(UUID())")
            if mkdir(folder.path(percentEncoded: false), 0o700) == 0 { return folder }
        }
        return nil
    }

    /// What a system must have for such tests.
    public static var needs: String {
        """
        Run by root, this test needs a user "nobody" who can make a folder in one of these: \
        \(places.map { $0.path(percentEncoded: false) }.joined(separator: ", ")). Set TMPDIR to a folder that every \
        user can enter and write to.
        """
    }
}
