import type { Defect, Verification } from '@attestry/core/model/chainState.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Finding } from './findings.ts'

/** Gathers the findings of a verification into what is kept of each chain. */
export interface DefectNotes {
  add(finding: Finding): void
  /** The defect of each chain with differences; null for a chain that was compared and has none. */
  defects(): ReadonlyMap<ChainId, Defect | null>
  /** The compared part of each chain. Chains that were not compared are absent. */
  verifications(): ReadonlyMap<ChainId, Omit<Verification, 'at'>>
}

interface Noted {
  count: number
  /** The first and the last block concerned; empty while none is known. */
  blocks: readonly number[]
}

/** `day`: of the verification, as text. */
export function createDefectNotes(day: string): DefectNotes {
  const noted = new Map<ChainId, Noted>()
  const compared = new Map<ChainId, Extract<Finding, { kind: 'compared' }>>()
  const unasked = new Set<ChainId>()
  return {
    add(finding) {
      if (finding.kind === 'compared') compared.set(finding.chainId, finding)
      if (finding.kind === 'unasked') unasked.add(finding.chainId)
      if (finding.kind !== 'difference' || finding.difference.chainId === null) return
      const { chainId, blockNumber } = finding.difference
      const { count, blocks } = noted.get(chainId) ?? { count: 0, blocks: [] }
      const ends =
        blockNumber === null ? blocks : [Math.min(blockNumber, ...blocks), Math.max(blockNumber, ...blocks)]
      noted.set(chainId, { count: count + 1, blocks: ends })
    },
    defects() {
      const clean = [...compared]
        .filter(([chainId, { isComplete }]) => isComplete && !unasked.has(chainId) && !noted.has(chainId))
        .map(([chainId]) => chainId)
      const found = [...noted].map(([chainId, note]) => [chainId, defectOf(note, day)] as const)
      return new Map<ChainId, Defect | null>([...clean.map((chainId) => [chainId, null] as const), ...found])
    },
    verifications: () =>
      new Map(
        [...compared].map(([chainId, { upToBlock, blocks, events, isComplete }]) => {
          const differences = noted.get(chainId)?.count ?? 0
          const told = { upToBlock, blocks, events, differences }
          return [chainId, { ...told, isComplete: isComplete && !unasked.has(chainId) }]
        }),
      ),
  }
}

function defectOf({ count, blocks }: Noted, day: string): Defect {
  const [fromBlock, toBlock] = [blocks[0] ?? null, blocks[1] ?? null]
  const where = fromBlock === null ? '' : ` in the blocks ${fromBlock} to ${toBlock}`
  const what = count === 1 ? '1 difference' : `${count} differences`
  return {
    fromBlock,
    toBlock,
    text: `"attestry verify" found ${what}${where} on ${day}: records are missing or wrong until "attestry verify --repair"`,
  }
}
