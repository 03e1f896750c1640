import Presentation

struct TownsBuilder {
    let businessController: any TownsBusinessControllerProtocol

    func towns(onRoute: @escaping @Sendable (TownsViewModel.Route) -> Void) -> LiveScreen {
        LiveScreen(TownsViewModel(businessController: businessController), TownsRenderer(), onRoute: onRoute)
    }
}
