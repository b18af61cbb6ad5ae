import { describeChain } from '@attestry/core/model/chainState.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import type { Finding } from '../findings.ts'

/** Formats a finding of a verification as a line for people. */
export function formatFinding(finding: Finding): string {
  switch (finding.kind) {
    case 'difference':
      return formatDifference(finding.difference)
    case 'unasked':
      return `chain ${finding.chainId} could not be compared: ${finding.reason}`
    case 'compared': {
      const { chainId, name, blocks, events, upToBlock, isByOne } = finding
      if (upToBlock === null) return `${describeChain(chainId, name)}: nothing to compare`
      const voices = isByOne ? '; the contracts were read from one endpoint only' : ''
      return `${describeChain(chainId, name)}: compared ${events} events in ${blocks} blocks, as of block ${upToBlock}${voices}`
    }
  }
}

/** Formats a finding of a verification as a line of NDJSON. */
export function formatFindingJson(finding: Finding): string {
  if (finding.kind !== 'difference') {
    const { kind, ...rest } = finding
    return JSON.stringify({ type: kind, ...rest })
  }
  return JSON.stringify({ type: 'difference', ...finding.difference })
}

function formatDifference({
  what,
  blockNumber,
  chainId,
  subject,
  field,
  stored,
  expected,
}: Difference): string {
  const place = blockNumber === null || chainId === null ? '' : ` (chain ${chainId}, block ${blockNumber})`
  const member = field === null ? '' : `, ${field}`
  // A value derived from records is only as right as the records.
  const source = what === 'derived' ? 'from the records follows' : 'right is'
  return `${what}: ${subject}${member}${place}: stored is ${quote(stored)}, ${source} ${quote(expected)}`
}

/** Quotes a text on one line: text from a chain may hold line breaks and control characters. */
function quote(text: string | null): string {
  return text === null ? 'nothing' : JSON.stringify(text)
}
