/** A requirement of the indexer, and the sentence that says how a server fails it; null if the server meets it. */
export interface ServerCheck {
  readonly name: string
  readonly problem: string | null
}
