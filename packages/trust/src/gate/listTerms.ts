import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import type { Finding } from './evaluatePolicy.ts'

/** A term of a policy, and what it comes to for a subject. */
export interface ExplainedTerm {
  /** The path of the term within the policy: `all[0].not`; empty for the whole. */
  readonly path: string
  readonly kind: Finding['kind']
  readonly truth: 'true' | 'false' | 'unknown'
  readonly because: readonly string[]
  readonly reason: string
}

/** The terms of a policy, each before the terms within. */
export function listTerms(finding: Finding, path = ''): readonly ExplainedTerm[] {
  const { kind, truth, records, parts } = finding
  const term: ExplainedTerm = {
    path,
    kind,
    truth: truth === null ? 'unknown' : truth ? 'true' : 'false',
    because: kind === 'holds' ? records.map((key) => formatCompositeId(key)) : [],
    reason: kind === 'holds' ? finding.reasons.join(' ') : describeParts(finding),
  }
  const inner = path === '' ? '' : `${path}.`
  const within = parts.flatMap((part, index) => {
    return listTerms(part, kind === 'not' ? `${inner}not` : `${inner}${listNames[kind] ?? kind}[${index}]`)
  })
  return [term, ...within]
}

/** The member that has the terms within, where it has another name than the term. */
const listNames: Partial<Record<Finding['kind'], string>> = { atLeast: 'of' }

function describeParts({ kind, parts, needed }: Finding): string {
  if (kind === 'not') return 'The term within must be false.'
  const right = parts.filter(({ truth }) => truth === true).length
  const open = parts.filter(({ truth }) => truth === null).length
  const unknown = open === 0 ? '' : `, ${open} not known`
  const are = parts.length === 1 ? 'term is' : 'terms are'
  return `${right} of ${parts.length} ${are} true${unknown}; ${needed} must be.`
}
