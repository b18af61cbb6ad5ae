/** What an indexer relies on, and the sentence that says how a server falls short of it; null where it does not. */
export interface ServerCheck {
  readonly name: string
  readonly problem: string | null
}
