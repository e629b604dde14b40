import Foundation
import Kivo

/// A database of its own for one scenario, holding the start state, with the two connections of a replay.
struct ScenarioStage {
    let models: ModelSet
    /// Belongs to the calling thread.
    let realm: Realm
    let other: SecondConnection

    init(_ scenario: Scenario, models: ModelSet) throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "conformance-\(UUID().uuidString)", objectTypes: models.objectTypes)
        self.models = models
        realm = try Realm(configuration: configuration)
        other = SecondConnection(configuration: configuration, models: models)
        try other.build(scenario.initial)
        realm.refresh()
    }
}
