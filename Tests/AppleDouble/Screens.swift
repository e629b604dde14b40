// swift-format-ignore-file
// Views as applications write them with KivoSwiftUI: they have to compile. See `.ci/apple-double`.
import Kivo
import KivoSwiftUI
import SwiftUI

class Task: EmbeddedObject, ObjectKeyIdentifiable {
    @Persisted var title = ""
    @Persisted var isDone = false
    @Persisted var due: Date?
}

class Project: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var tasks: Kivo.List<Task>
    @Persisted var tags: MutableSet<String>
    @Persisted var owners: Map<String, Person?>
    @Persisted var lead: Person?
    var initial: String { String(name.prefix(1)) }
}

class Person: Object, ObjectKeyIdentifiable {
    @Persisted var name = ""
}

class ProjectCard: Projection<Project>, ObjectKeyIdentifiable {
    @Projected(\Project.name) var title
    @Projected(\Project.tasks) var tasks
}

struct TaskForm: View {
    @ObservedRealmObject var task: Task

    var body: some View {
        Form {
            TextField("Title", text: $task.title)
            Toggle("Done", isOn: $task.isDone)
            TextField("Bound", text: task.bind(\.title))
        }
    }
}

struct ProjectScreen: View {
    @ObservedRealmObject var project: Project

    var body: some View {
        VStack {
            SwiftUI.List {
                ForEach(project.tasks) { task in
                    TaskForm(task: task)
                }
                .onMove(perform: $project.tasks.move)
                ForEach(project.tasks) { task in
                    Text(task.title)
                }
                .onDelete(perform: $project.tasks.remove)
                ForEach($project.tasks) { $task in
                    Toggle("Done", isOn: $task.isDone)
                }
            }
            Button("Add") { $project.tasks.append(Task()) }
            Button("First") { $project.tasks.remove(at: 0) }
            Button("Tag") { $project.tags.insert("new") }
            Button("Untag") { $project.tags.remove("new") }
            Button("Own") { $project.owners.set(object: Person(), for: "me") }
            Button("Disown") { $project.owners.set(object: nil, for: "me") }
            Text($project.owners["me"]??.name ?? "nobody")
            Button("Lead") { $project.lead.wrappedValue = Person() }
            Button("Delete") { $project.delete() }
        }
        .navigationTitle(project.name)
    }
}

struct NewProject: View {
    @StateRealmObject var project = Project()
    @StateRealmObject var card = ProjectCard(projecting: Project())
    @StateRealmObject var numbers = Kivo.List<Int>()
    @StateRealmObject var tags = MutableSet<String>()
    @StateRealmObject var counts = Map<String, Int>()
    @Environment(\.realm) var realm

    var body: some View {
        TextField("Name", text: $project.name)
        TextField("Title", text: card.bind(\.title))
        TextField("Title", text: $card.title)
        ForEach($card.tasks) { $task in Toggle("Done", isOn: $task.isDone) }
        Button("Task") { $card.tasks.append(Task()) }
        Button("Save") { try! realm.write { realm.add(project) } }
        Button("Number") { $numbers.append(1) }
        Button("Number") { $numbers.move(fromOffsets: [0], toOffset: 1) }
        Button("Tag") { $tags.insert("a") }
        Button("Count") { $counts.set(object: 1, for: "one") }
        Button("Task") { $project.tasks.append(Task()) }
        Button("Delete") { $project.delete() }
        Button("Delete") { $card.delete() }
        ProjectScreen(project: project)
    }
}

struct ProjectList: View {
    @ObservedResults(Project.self) var all
    @ObservedResults(Project.self, where: { $0.name.starts(with: "A") }, sortDescriptor: "name") var some
    @ObservedResults(Project.self, filter: "name != ''", keyPaths: ["name"], sortDescriptor: SortDescriptor(keyPath: \Project.name)) var named
    @ObservedResults(Project.self, configuration: Realm.Configuration(inMemoryIdentifier: "other")) var others
    @ObservedResults(Project.self, keyPaths: ["name", "tasks.isDone"]) var watched
    @ObservedResults(ProjectCard.self, filter: PredicateString("name == %@", "A")) var cards
    @State var search = ""

    var body: some View {
        SwiftUI.List {
            ForEach(all) { project in
                Text(project.name)
            }
            .onDelete(perform: $all.remove)
            ForEach(cards) { Text($0.title) }
        }
        .searchable(text: $search, collection: $all, keyPath: \.name) {
            ForEach(all) { Text($0.name) }
        }
        .searchable(text: $search, collection: $some, keyPath: \.name)
        .searchable(text: $search, collection: $some, keyPath: \.name, prompt: "Name")
        .searchable(text: $search, collection: $some, keyPath: \.name, prompt: Text("Name"))
        .onChange(of: search) { _, text in
            $named.filter = text.isEmpty ? nil : PredicateString("name CONTAINS[c] %@", text)
            $some.where = text.isEmpty ? nil : { $0.name.contains(text, options: .caseInsensitive) }
            $some.where = { $0.name == text }
            $all.sortDescriptor = SortDescriptor(keyPath: "name", ascending: false)
        }
        Button("Add") {
            $all.append(Project())
            $cards.append(ProjectCard(projecting: Project()))
            if let first = all.first { $all.remove(first) }
        }
    }
}

struct Sections: View {
    @ObservedSectionedResults(Project.self, sectionKeyPath: \.initial) var byInitial
    @ObservedSectionedResults(Project.self, sectionKeyPath: \.name, where: { $0.name != "" }) var byName
    @ObservedSectionedResults(Project.self, sectionBlock: { $0.name.count }, sortDescriptors: ["name"]) var byLength
    @ObservedSectionedResults(ProjectCard.self, sectionKeyPath: \.title) var cards
    @State var search = ""

    var body: some View {
        SwiftUI.List {
            ForEach(byInitial) { section in
                Section(section.key) {
                    ForEach(section) { project in
                        Text(project.name)
                    }
                    .onDelete { $byInitial.remove(atOffsets: $0, section: section) }
                }
            }
        }
        .searchable(text: $search, collection: $byInitial, keyPath: \.name)
    }
}

struct Opening: View {
    @AutoOpen(configuration: Realm.Configuration(inMemoryIdentifier: "opened")) var opening
    @AutoOpen var again

    var body: some View {
        switch opening {
        case .connecting: ProgressView()
        case .open(let realm): ProjectList().environment(\.realm, realm)
        case .error(let error): Text(String(describing: error))
        }
    }
}

struct FilteredProjects: View {
    @ObservedResults(Project.self) var projects

    init(name: String) {
        _projects = ObservedResults(Project.self, where: { $0.name == name })
    }

    var body: some View { ForEach(projects) { Text($0.name) } }
}

struct Screens: PreviewProvider {
    static var previews: some View {
        ProjectList().environment(\.realmConfiguration, Realm.Configuration(inMemoryIdentifier: "preview"))
        ProjectScreen(project: Project(value: ["name": "Preview"]))
    }
}
