import { addToDigest, emptyDigest, formatSum } from '@attestry/store/layout/eventDigest.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { parseExportLine } from '@attestry/store/transfer/parseExportLine.ts'

/**
 * The contradictions between the digests of an index and its export. The block of a digest must be the indexed one, and
 * its events those of the export. Closes the reader.
 */
export async function findDigestProblems(
  reader: IndexReader,
  exported: readonly string[],
): Promise<string[]> {
  const events = exported.slice(1, -1).flatMap((line, index) => {
    const parsed = parseExportLine(line, index)
    return parsed.kind === 'event' ? [{ chainId: parsed.chainId, event: parsed.stored.event }] : []
  })
  const chains = await reader.listChains()
  await reader.close()
  return chains.flatMap(({ status: { chainId, indexedBlock }, digest }) => {
    const own = events.flatMap((each) => (each.chainId === chainId ? [each.event] : []))
    const is = [digest.blockNumber, digest.eventCount, digest.value].join(' ')
    const expected = [indexedBlock, own.length, formatSum(addToDigest(emptyDigest, own))].join(' ')
    return is === expected ? [] : [`the digest of chain ${chainId} is ${is} instead of ${expected}`]
  })
}
