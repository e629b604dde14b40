#if canImport(SwiftUI)
import Kivo
import SwiftUI

/// A search field that filters a collection: elements whose property contains the text, byte by byte, remain. An empty text
/// excludes no elements.
extension View {
    private nonisolated func search<Element, Root: ObjectBase>(
        _ collection: ObservedResults<Element>, _ text: Binding<String>, _ keyPath: KeyPath<Root, String>
    ) -> Self {
        // Bodies are evaluated on the main actor.
        let text = text.wrappedValue
        MainActor.pass(keyPath) { collection.search(text, $0) }
        return self
    }

    private nonisolated func search<Key, Element, Root: ObjectBase>(
        _ collection: ObservedSectionedResults<Key, Element>, _ text: Binding<String>,
        _ keyPath: KeyPath<Root, String>
    ) -> Self {
        let text = text.wrappedValue
        MainActor.pass(keyPath) { collection.search(text, $0) }
        return self
    }

    /// Adds a search field that filters `@ObservedResults` by a property.
    ///
    /// - Parameters:
    ///   - text: The text in the search field.
    ///   - collection: The property wrapper to filter, for example `$dogs`.
    ///   - keyPath: The property that contains the text.
    ///   - placement: The place of the search field.
    ///   - prompt: The text of the empty field.
    public nonisolated func searchable<T: ObjectBase>(
        text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: Text? = nil
    ) -> some View {
        search(collection, text, keyPath).searchable(text: text, placement: placement, prompt: prompt)
    }

    /// Adds a search field that filters `@ObservedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    public nonisolated func searchable<T: ObjectBase>(
        text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey
    ) -> some View {
        search(collection, text, keyPath).searchable(text: text, placement: placement, prompt: prompt)
    }

    /// Adds a search field that filters `@ObservedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    @_disfavoredOverload
    public nonisolated func searchable<T: ObjectBase, S: StringProtocol>(
        text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: S
    ) -> some View {
        search(collection, text, keyPath).searchable(text: text, placement: placement, prompt: prompt)
    }

    /// Adds a search field with suggestions that filters `@ObservedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    public nonisolated func searchable<T: ObjectBase, Suggestions: View>(
        text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: Text? = nil,
        @ViewBuilder suggestions: () -> Suggestions
    ) -> some View {
        search(collection, text, keyPath).searchable(
            text: text, placement: placement, prompt: prompt, suggestions: suggestions)
    }

    /// Adds a search field with suggestions that filters `@ObservedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    public nonisolated func searchable<T: ObjectBase, Suggestions: View>(
        text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey,
        @ViewBuilder suggestions: () -> Suggestions
    ) -> some View {
        search(collection, text, keyPath).searchable(
            text: text, placement: placement, prompt: prompt, suggestions: suggestions)
    }

    /// Adds a search field with suggestions that filters `@ObservedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    @_disfavoredOverload
    public nonisolated func searchable<T: ObjectBase, S: StringProtocol, Suggestions: View>(
        text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: S,
        @ViewBuilder suggestions: () -> Suggestions
    ) -> some View {
        search(collection, text, keyPath).searchable(
            text: text, placement: placement, prompt: prompt, suggestions: suggestions)
    }

    /// Adds a search field that filters `@ObservedSectionedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    public nonisolated func searchable<Key, T: ObjectBase>(
        text: Binding<String>, collection: ObservedSectionedResults<Key, T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: Text? = nil
    ) -> some View {
        search(collection, text, keyPath).searchable(text: text, placement: placement, prompt: prompt)
    }

    /// Adds a search field that filters `@ObservedSectionedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    public nonisolated func searchable<Key, T: ObjectBase>(
        text: Binding<String>, collection: ObservedSectionedResults<Key, T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey
    ) -> some View {
        search(collection, text, keyPath).searchable(text: text, placement: placement, prompt: prompt)
    }

    /// Adds a search field that filters `@ObservedSectionedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    @_disfavoredOverload
    public nonisolated func searchable<Key, T: ObjectBase, S: StringProtocol>(
        text: Binding<String>, collection: ObservedSectionedResults<Key, T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: S
    ) -> some View {
        search(collection, text, keyPath).searchable(text: text, placement: placement, prompt: prompt)
    }

    /// Adds a search field with suggestions that filters `@ObservedSectionedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    public nonisolated func searchable<Key, T: ObjectBase, Suggestions: View>(
        text: Binding<String>, collection: ObservedSectionedResults<Key, T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: Text? = nil,
        @ViewBuilder suggestions: () -> Suggestions
    ) -> some View {
        search(collection, text, keyPath).searchable(
            text: text, placement: placement, prompt: prompt, suggestions: suggestions)
    }

    /// Adds a search field with suggestions that filters `@ObservedSectionedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    public nonisolated func searchable<Key, T: ObjectBase, Suggestions: View>(
        text: Binding<String>, collection: ObservedSectionedResults<Key, T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey,
        @ViewBuilder suggestions: () -> Suggestions
    ) -> some View {
        search(collection, text, keyPath).searchable(
            text: text, placement: placement, prompt: prompt, suggestions: suggestions)
    }

    /// Adds a search field with suggestions that filters `@ObservedSectionedResults` by a property; see
    /// `searchable(text:collection:keyPath:placement:prompt:)`.
    @_disfavoredOverload
    public nonisolated func searchable<Key, T: ObjectBase, S: StringProtocol, Suggestions: View>(
        text: Binding<String>, collection: ObservedSectionedResults<Key, T>, keyPath: KeyPath<T, String>,
        placement: SearchFieldPlacement = .automatic, prompt: S,
        @ViewBuilder suggestions: () -> Suggestions
    ) -> some View {
        search(collection, text, keyPath).searchable(
            text: text, placement: placement, prompt: prompt, suggestions: suggestions)
    }
}
#endif
