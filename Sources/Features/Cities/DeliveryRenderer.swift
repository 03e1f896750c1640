import Presentation

struct DeliveryRenderer: Renderer {
    func render(_ state: DeliveryViewModel.State) -> Screen<DeliveryViewModel.Action> {
        if state.ordering.isDone, let address = state.address { return confirmation(of: address, state) }
        return Screen(
            title: "Delivery to \(state.city.name)",
            sections: [
                .init(rows: state.ordering.rows("Ordering the delivery", retry: .order)),
                .init("Address", rows: fields(state)),
            ],
            actions: [
                .init("Order", key: .control("o"), isEnabled: state.canEdit, action: .order),
                .init("Back", key: .escape, action: .leave),
            ])
    }

    private func fields(_ state: DeliveryViewModel.State) -> [Row] {
        state.form.rows(showsProblems: state.showsProblems, isEnabled: state.canEdit, edit: { .edit($0, $1) }) {
            (label(of: $0), example(of: $0))
        }
    }

    private func confirmation(
        of address: Address, _ state: DeliveryViewModel.State
    ) -> Screen<DeliveryViewModel.Action> {
        let time = state.city.deliveryMinutes.map { " It takes about \($0.counting("minute", "minutes"))." } ?? ""
        return Screen(
            title: "Delivery to \(state.city.name)",
            sections: [
                .init(rows: [.notice(.success, "Your delivery is on its way.\(time)")]),
                .init(
                    "Address",
                    rows: [
                        .value(label(of: .recipient), address.recipient),
                        .value(label(of: .street), address.street),
                        .value(label(of: .postalCode), address.postalCode),
                        .value("City", [address.city, state.city.country].compactMap { $0 }.joined(separator: ", ")),
                    ]),
            ],
            actions: [.init("Done", key: .escape, action: .leave)])
    }

    private func label(of field: AddressForm.Field) -> String {
        switch field {
        case .recipient: "Recipient"
        case .street: "Street"
        case .postalCode: "Postal code"
        }
    }

    private func example(of field: AddressForm.Field) -> String {
        switch field {
        case .recipient: "Sherlock Holmes"
        case .street: "221B Baker Street"
        case .postalCode: "NW1 6XE"
        }
    }
}
