import type { Address } from './hex.ts'

/** A name of an address or a schema, and its source. */
export interface KnownName {
  readonly name: string
  /** A page about it; null without one. */
  readonly link: string | null
  /** The source of the name: the operator's words for a label, `ens` for ENS. */
  readonly source: string
}

/** The name of an address, checksummed, or of a schema, by its composite id. */
export interface NamedId extends KnownName {
  readonly id: string
}

/** The names that an operator gives, and those of ENS where an endpoint for them is configured. */
export interface KnownNames {
  /** Whether names may come and go while the index stays as it is. */
  readonly change: boolean
  /** The name of an address, in any letter case, or of a schema. Never waits: a name of ENS is there once it is read. */
  find(id: string): KnownName | undefined
  /** The names that contain a text, best first; of ENS the one that the text is. */
  search(text: string): Promise<readonly NamedId[]>
  /** The names that ENS has for addresses; those that are not answered soon are left out. */
  findOfEns(addresses: readonly Address[]): Promise<ReadonlyMap<Address, string>>
}
