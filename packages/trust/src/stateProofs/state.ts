import type { Address, Hash } from '@attestry/core/model/hex.ts'

/** The state after a block, as far as it is proven. */
export interface State {
  /** The time of the block, in Unix seconds. */
  readonly timestamp: number
  /** @throws Missing if the account is not proven. */
  codeHash(account: Address): Hash
  /**
   * The words at slots of a contract, in their order.
   * @throws Missing if some are not proven.
   */
  words(contract: Address, slots: readonly Hash[]): readonly Hash[]
  /** Names words that are likely to be read later. */
  expect(contract: Address, slots: readonly Hash[]): void
}

/** Adds slots to those of an account. */
export function addSlots(into: Map<Address, Set<Hash>>, account: Address, slots: readonly Hash[]): void {
  const known = into.get(account) ?? new Set<Hash>()
  into.set(account, known)
  for (const slot of slots) known.add(slot)
}

/** Parts of the state that a claim is decided by and that are not proven. */
export class Missing extends Error {
  readonly account: Address
  readonly slots: readonly Hash[]

  constructor(account: Address, slots: readonly Hash[]) {
    super(`${slots[0] === undefined ? 'the account' : `the slot ${slots[0]} of`} ${account} is not proven`)
    this.account = account
    this.slots = slots
  }
}

/** The state is not that of a contract with the layout of a claim; the message continues a sentence. */
export class Unfit extends Error {}
