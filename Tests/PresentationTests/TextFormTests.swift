import Presentation
import Testing

struct TextFormTests {
    private struct AddressForm: TextForm {
        enum Field: CaseIterable, Sendable { case street, town }

        var street = ""
        var town = ""

        func problem(in field: Field) -> String? { trimmed(field).isEmpty ? "It is missing." : nil }

        static func text(of field: Field) -> WritableKeyPath<AddressForm, String> {
            switch field {
            case .street: \.street
            case .town: \.town
            }
        }
    }

    private struct Edit: Equatable {
        var field: AddressForm.Field
        var text: String
    }

    private func rows(_ form: AddressForm, showsProblems: Bool) -> [Screen<Edit>.Row] {
        form.rows(showsProblems: showsProblems, isEnabled: false, edit: Edit.init) { field in
            switch field {
            case .street: ("Street", example: "221B Baker Street")
            case .town: ("Town", example: "London")
            }
        }
    }

    @Test("A field is read and written by its name, and white space around the text does not count")
    func fields() {
        var form = AddressForm()
        form[.street] = " 221B Baker Street\n"
        #expect(form.street == " 221B Baker Street\n")
        #expect(form.trimmed(.street) == "221B Baker Street")
        form[.town] = " "
        #expect(form.problem(in: .town) == "It is missing.")
    }

    @Test("A form is complete when no field has a problem")
    func complete() {
        #expect(!AddressForm(street: "Baker Street").isComplete)
        #expect(AddressForm(street: "Baker Street", town: "London").isComplete)
    }

    @Test("The fields of a form can be used unless it says otherwise")
    func enabled() {
        let rows = AddressForm().rows(showsProblems: false, edit: Edit.init) { _ in ("Field", example: "") }
        let screen = Screen(title: "", sections: [.init(rows: rows)])
        #expect(screen.controls.map(\.isEnabled) == [true, true])
    }

    @Test("A field for a secret is one on the screen")
    func secret() {
        let rows = AddressForm().rows(showsProblems: false, isSecret: { $0 == .town }, edit: Edit.init) { _ in ("", "")
        }
        let fields = rows.map { if case let .field(field) = $0 { field.isSecret } else { nil as Bool? } }
        #expect(fields == [false, true])
    }

    @Test("Each field is a row, whose problem is shown only when asked for", arguments: [false, true])
    func rows(showsProblems: Bool) {
        let rows = rows(AddressForm(street: "Baker Street"), showsProblems: showsProblems)
        #expect(
            rows == [
                .field(
                    "Street", text: "Baker Street", placeholder: "221B Baker Street", isEnabled: false,
                    edit: { Edit(field: .street, text: $0) }),
                .field(
                    "Town", text: "", placeholder: "London", problem: showsProblems ? "It is missing." : nil,
                    isEnabled: false, edit: { Edit(field: .town, text: $0) }),
            ])
    }
}
