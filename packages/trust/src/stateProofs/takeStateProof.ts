import type { Address, Hash } from '@attestry/core/model/hex.ts'
import {
  buildStateProof,
  readProofAnswer,
  type ProofSubject,
  type ReadAccount,
  type WantedState,
} from './buildStateProof.ts'
import { checkStateProof } from './checkStateProof.ts'
import { addSlots, Unfit } from './state.ts'
import type { StateBlock, StateProof } from './stateProof.ts'

/**
 * `unfit`: no subject is what the contracts hold; `reasons` end a sentence. `unproven`: an answer of the endpoint proves
 * nothing; `reason` ends a sentence that begins with the answer.
 */
export type TakenState =
  | { readonly kind: 'proof'; readonly proof: StateProof }
  | { readonly kind: 'unfit'; readonly reasons: readonly string[] }
  | { readonly kind: 'unproven'; readonly reason: string }

export interface StateSource {
  readonly block: StateBlock
  /** Answers to `eth_getProof` at the block, in their order. */
  ask(wanted: readonly WantedState[]): Promise<readonly unknown[]>
  /** The implementation that a proxy had before; it is asked for together with the proxy. */
  implementationOf(contract: Address): Address | null
}

/** Most questions for one proof: the layout, the record, and bytes whose length is known by then. */
const questionsMax = 6
/** Words of an account that nodes prove at once: the limit of geth. */
const slotsMax = 1_024

/**
 * Takes a proof of the first subject whose layout fits, which is known after the answer to the first question. The
 * proof has been checked as its readers check it.
 */
export async function takeStateProof(
  subjects: readonly ProofSubject[],
  source: StateSource,
): Promise<TakenState> {
  const { block } = source
  const accounts = new Map<Address, ReadAccount>()
  const reasons = new Set<string>()
  let left = subjects
  for (let question = 0; question <= questionsMax; question++) {
    const asked = new Map<Address, Set<Hash>>()
    const unfinished: ProofSubject[] = []
    for (const subject of left) {
      const built = tryToBuild(subject, left.length === 1, block, accounts)
      if (built.kind === 'proof') return checked(built.proof)
      if (built.kind === 'unfit') reasons.add(built.reason)
      else {
        unfinished.push(subject)
        for (const { account, slots } of built.wanted) addSlots(asked, account, slots)
      }
    }
    if (unfinished.length === 0) return { kind: 'unfit', reasons: [...reasons] }
    left = unfinished
    for (const account of [...asked.keys()]) {
      const implementation = accounts.has(account) ? null : source.implementationOf(account)
      if (implementation !== null) addSlots(asked, implementation, [])
    }
    const wanted = [...asked].map(([account, slots]) => ({ account, slots: [...slots] }))
    if (wanted.some(({ slots }) => slots.length > slotsMax)) break
    const failure = addAnswers(accounts, wanted, await source.ask(wanted), block)
    if (failure !== null) return { kind: 'unproven', reason: failure }
  }
  return { kind: 'unfit', reasons: ['the claim needs more of the state than one proof holds'] }
}

function tryToBuild(
  { hints, ...subject }: ProofSubject,
  isOnly: boolean,
  block: StateBlock,
  accounts: ReadonlyMap<Address, ReadAccount>,
) {
  try {
    // Bytes are asked for in the place that is known to be right.
    return buildStateProof(isOnly && hints !== undefined ? { ...subject, hints } : subject, block, accounts)
  } catch (error) {
    if (error instanceof Unfit) return { kind: 'unfit', reason: error.message } as const
    throw error
  }
}

function checked(proof: StateProof): TakenState {
  const check = checkStateProof(proof)
  if (check.kind === 'invalid') throw new TypeError(`a proof was built that is not valid: ${check.reason}`)
  return { kind: 'proof', proof }
}

/** Returns the reason for which an answer proves nothing; null where all do. */
function addAnswers(
  accounts: Map<Address, ReadAccount>,
  wanted: readonly WantedState[],
  answers: readonly unknown[],
  { stateRoot }: StateBlock,
): string | null {
  for (const [index, each] of wanted.entries()) {
    const read = readProofAnswer(answers[index], each, stateRoot)
    if (typeof read === 'string') return read
    const known = accounts.get(each.account)?.words ?? []
    accounts.set(each.account, { ...read, words: new Map([...known, ...read.words]) })
  }
  return null
}
