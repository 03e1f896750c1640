extension AnyQuestion {
    /// Splits a question whose list of values is too long for one statement into questions with a part of the list
    /// each; returns nil if there is no such list.
    ///
    /// No object is in two answers. The caller sorts the joined answers and cuts them to the page.
    func parts(maximum: Int) -> [AnyQuestion]? {
        guard condition.cost.parameters > maximum else { return nil }
        let condition = pagedCondition.optimized
        var others = if case .and(let parts) = condition.form { parts } else { [condition] }
        guard let longest = others.indices.max(by: { others[$0].cost.parameters < others[$1].cost.parameters }),
            case .membership(let attribute, let values) = others.remove(at: longest).form, values.count > maximum / 2
        else { return nil }
        let rest = AnyCondition(.and(others))
        return stride(from: 0, to: values.count, by: maximum / 2).map { start in
            let part = Array(values[start..<min(start + maximum / 2, values.count)])
            var question = self
            question.condition = rest && AnyCondition(.membership(attribute, part))
            question.place = nil
            question.limit = limit.flatMap { limit in
                let (wanted, overflow) = limit.addingReportingOverflow(offset)
                return overflow ? nil : wanted
            }
            question.offset = 0
            return question
        }
    }
}
