import { sliceMax } from '@attestry/server/records/slices.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { AgentNoteKind, StoredAgentNote } from '@attestry/agents/projection/agentQueries.ts'
import type { Erc8004Context } from './erc8004Context.ts'

/** All notes of a kind, of the whole chain, of an agent, or with these targets. */
export async function readNotes(
  context: Erc8004Context,
  kind: AgentNoteKind,
  narrowed: { readonly agent: LocalId | null; readonly targets: readonly LocalId[] | null },
): Promise<readonly StoredAgentNote[]> {
  const { reader, chain, budget } = context
  const notes: StoredAgentNote[] = []
  for (let page = 1; ; page++) {
    const filter = { kind, chainId: chain.chainId, ...narrowed }
    const { rows } = await reader.listAgentNotes(filter, { page, size: sliceMax })
    await budget.readRows(rows, ({ uri }) => 400 + uri.length)
    notes.push(...rows)
    if (rows.length < sliceMax) return notes
  }
}
