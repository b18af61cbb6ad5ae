import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { gateExampleQuery } from '../../api/queries.ts'
import type { Policies } from '../../api/types.ts'
import { checkAddress } from '../../format/checkFilter.ts'
import { useDebounced } from '../../search/useDebounced.ts'
import {
  asOfMistake,
  readGateSearch,
  readRule,
  ruleUnder,
  schemaOfPolicy,
  type GateSearch,
} from './gateSearch.ts'
import { lackOf, readPolicyForm } from './policyForm.ts'

/** The choice that stands for a policy that the reader writes. */
export const ownPolicy = ''

/** The pause in typing before a verdict, in milliseconds. */
const restMs = 350

/** Undefined members have not been written: an example of this index stands in for them. */
interface Draft {
  /** The name of a policy of the server, or `ownPolicy`. */
  readonly policy: string
  readonly rule: string | undefined
  readonly address: string | undefined
  readonly asOf: string
}

export interface GateDraft {
  readonly filled: Readonly<Record<keyof Draft, string>>
  readonly change: (patch: Partial<Draft>) => void
  /** Undefined members are right. */
  readonly mistakes: { readonly [Key in 'rule' | 'address' | 'asOf']: string | undefined }
  /** Whether the address of the page asks what the form says. */
  readonly isAsked: boolean
  /** Asks at once, without a pause. */
  readonly ask: () => void
}

/**
 * The policy and the address of the page of the gate, as the reader edits them. The address of the page follows after a
 * pause in typing if nothing is wrong.
 */
export function useGateDraft(
  policies: Policies,
  search: GateSearch,
  onAsk: (search: GateSearch) => void,
): GateDraft {
  const { rows } = policies
  // The router keeps the order of the address.
  const inAddress = JSON.stringify(readGateSearch({ ...search }))
  const [draft, setDraft] = useState(() => draftOf(search, policies))
  const [seen, setSeen] = useState(inAddress)
  // The questions of this form since the newest one in the address. A slow page shows them late, one after the other.
  const [sent, setSent] = useState<readonly string[]>([inAddress])
  if (inAddress !== seen) {
    setSeen(inAddress)
    const at = sent.indexOf(inAddress)
    if (at !== -1) setSent(sent.slice(at))
    else {
      // The address of the page changed by a link or the browser's history: the form follows.
      setDraft(draftOf(search, policies))
      setSent([inAddress])
    }
  }
  const chosen = rows.find(({ name }) => name === draft.policy)
  const example = useExample(draft, chosen?.policy)
  const filled = { ...draft, rule: draft.rule ?? example.rule, address: draft.address ?? example.address }
  const mistakes = {
    rule: draft.policy === ownPolicy ? ruleMistake(filled.rule) : undefined,
    address: checkAddress(filled.address.trim()),
    asOf: draft.asOf.trim() === '' ? undefined : asOfMistake(draft.asOf.trim()),
  }
  const isRight = Object.values(mistakes).every((mistake) => mistake === undefined)
  const asked = JSON.stringify(searchOf(filled))
  const isAsked = isRight && asked === inAddress
  const ask = () => {
    if (!isRight || isAsked) return
    // An example that has been asked stays.
    setDraft({ ...draft, address: filled.address, ...(draft.policy === ownPolicy && { rule: filled.rule }) })
    setSent([...sent, asked])
    onAsk(searchOf(filled))
  }
  const rested = useDebounced(asked, restMs)
  useEffect(() => {
    if (rested === asked) ask()
    // The pause in typing is over, or what was waited for has come.
    // oxlint-disable-next-line react/exhaustive-deps -- `ask` is another function with each paint
  }, [rested, asked, isRight])
  return { filled, change: (patch) => setDraft({ ...draft, ...patch }), mistakes, isAsked, ask }
}

/** The mistake in the text of a policy, or what its form lacks. */
function ruleMistake(text: string): string | undefined {
  const read = readRule(text)
  if (read.kind === 'mistake') return read.message
  return readPolicyForm(read.rule)
    ?.conditions.map(lackOf)
    .find((lack) => lack !== undefined)
}

function draftOf(search: GateSearch, { rows, allowsInline }: Policies): Draft {
  const [first] = rows
  const wantsOwn = search.rule !== undefined && allowsInline
  return {
    policy: search.policy ?? (wantsOwn || first === undefined ? ownPolicy : first.name),
    rule: search.rule === undefined ? undefined : respaced(search.rule, 2),
    address: search.address,
    asOf: search.asOf ?? '',
  }
}

/**
 * A policy and an address to begin with, of records that this index has: an account that holds what the policy asks for,
 * if any does. Empty texts until they are known.
 */
function useExample(
  { policy, rule, address }: Draft,
  chosen: unknown,
): { readonly rule: string; readonly address: string } {
  const isOwn = policy === ownPolicy
  const read = isOwn && rule !== undefined ? readRule(rule) : null
  const schemaId = schemaOfPolicy(read?.kind === 'rule' ? read.rule : chosen)
  const isNeeded = address === undefined || (isOwn && rule === undefined)
  const { data } = useQuery({ ...gateExampleQuery(schemaId), enabled: isNeeded })
  if (data === null || data === undefined) return { rule: '', address: '' }
  return { rule: ruleUnder(data.schemaId, [data.attester], data.protocol), address: data.address }
}

/** The search parameters that a draft stands for. */
function searchOf({ policy, rule, ...rest }: Record<keyof Draft, string>): GateSearch {
  return readGateSearch({ ...rest, ...(policy === ownPolicy ? { rule: respaced(rule, 0) } : { policy }) })
}

/** A policy with other spaces between its members; any other text as it is. */
function respaced(text: string, spaces: number): string {
  const read = readRule(text)
  return read.kind === 'rule' ? JSON.stringify(read.rule, null, spaces) : text
}
