import { useQuery } from '@tanstack/react-query'
import { decodedAttestationsQuery, schemaQuery } from '../../api/queries.ts'
import type { GateTerm } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { Icon } from '../../components/Icon.tsx'
import { AttestationLink } from '../../components/RecordLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { SchemaName } from '../../components/SchemaName.tsx'
import { Time } from '../../components/Time.tsx'
import { filteredFields, operatorLabels } from '../../format/fieldFilters.ts'
import { formatQuantity } from '../../format/formatCount.ts'
import { plainText } from '../../format/inspectText.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { conditionOf, termAt, type Condition } from './policyForm.ts'
import styles from './GatePage.module.css'

const looks = {
  true: { icon: 'check', words: 'true' },
  false: { icon: 'close', words: 'false' },
  unknown: { icon: 'info', words: 'not known' },
} as const

const names = {
  all: 'All of',
  any: 'Any of',
  not: 'Not',
  atLeast: 'At least',
  holds: 'Holds',
} as const

/** A term with those within. */
interface Branch {
  readonly term: GateTerm
  readonly within: Branch[]
}

export interface ReasonsProps {
  readonly terms: readonly GateTerm[]
  /** The policy that was judged, and the policies of the server that it may name. */
  readonly rule: unknown
  readonly named: ReadonlyMap<string, unknown>
}

/** The result of each term of a policy, the terms within below it. */
export function Reasons({ terms, rule, named }: ReasonsProps) {
  return <Level branches={treeOf(terms)} find={(path) => conditionOf(termAt(rule, path, named))} />
}

type FindCondition = (path: string) => Condition | null

function Level({ branches, find }: { readonly branches: readonly Branch[]; readonly find: FindCondition }) {
  return (
    <ul className={styles.terms}>
      {branches.map(({ term, within }) => (
        <li key={term.path} className={styles[`is-${term.truth}`]}>
          <div className={styles.term}>
            <Icon name={looks[term.truth].icon} />
            <span className={styles.kind}>
              {names[term.kind]}
              <span className="visuallyHidden">: {looks[term.truth].words}</span>
            </span>
            <span className={styles.reason}>
              <Reason term={term} condition={term.kind === 'holds' ? find(term.path) : null} />
            </span>
          </div>
          {within.length > 0 && <Level branches={within} find={find} />}
        </li>
      ))}
    </ul>
  )
}

function Reason({ term, condition }: { readonly term: GateTerm; readonly condition: Condition | null }) {
  if (condition !== null && term.truth !== 'unknown') return <HoldsReason term={term} condition={condition} />
  return (
    <>
      <SafeText text={term.reason} lengthMax={600} expandable />
      {term.because.length > 0 && (
        <span className={styles.records}>
          {term.because.map((id) => (
            <AttestationLink key={id} id={id} localId={localIdOf(id)} />
          ))}
        </span>
      )}
    </>
  )
}

/** Records that are shown; a condition on different attesters may rest on many. */
const recordsMax = 5

function HoldsReason({
  term: { truth, because },
  condition,
}: {
  readonly term: GateTerm
  readonly condition: Condition
}) {
  const { attesters, distinctAttesters = 1, maxAge } = condition
  const shown = because.slice(0, recordsMax).map((id) => ({ id, protocol: condition.protocol }))
  const { data: records } = useQuery(decodedAttestationsQuery(shown))
  if (truth === 'false') {
    return (
      <>
        No valid <SchemaName id={condition.schema} />
        <Values condition={condition} />
        <By attesters={attesters} needed={distinctAttesters} />
        {maxAge !== undefined && `, ${ageWords(maxAge)}`}
      </>
    )
  }
  return (
    <>
      <SchemaName id={condition.schema} />
      <Values condition={condition} />
      {attesters === 'any' && ', by anyone'}
      <span className={styles.records}>
        {shown.map((key) => {
          const record = records?.values().find(({ id }) => id === key.id)
          return (
            <span key={key.id} className={styles.record}>
              <AttestationLink id={key.id} localId={localIdOf(key.id)} protocol={key.protocol} />
              {record !== undefined && (
                <>
                  by <Address address={record.attester} copyable={false} />
                  <Time seconds={record.attestTimestamp} />
                </>
              )}
            </span>
          )
        })}
        {because.length > recordsMax && (
          <span>and {formatQuantity(because.length - recordsMax, 'other')}</span>
        )}
      </span>
    </>
  )
}

/** `, level is at least 2`. */
function Values({ condition: { schema, protocol, fields } }: { readonly condition: Condition }) {
  const { data } = useQuery({ ...schemaQuery(schema, protocol), enabled: fields.length > 0 })
  const known = (data?.data ?? []).flatMap((field, index) => filteredFields(field, index))
  return fields.map(({ path, operator, value }) => {
    const label = known.find((field) => field.path === path)?.label ?? plainText(path, 40)
    return (
      <span key={`${path} ${operator}`}>
        , {label} {operatorLabels[operator]} <SafeText text={value} lengthMax={60} />
      </span>
    )
  })
}

function By({ attesters, needed }: { readonly attesters: Condition['attesters']; readonly needed: number }) {
  if (attesters === 'any') return needed === 1 ? ', by anyone' : `, by ${needed} different attesters`
  const [only, ...others] = attesters
  if (only === undefined) return null
  if (others.length === 0) {
    return (
      <>
        , by <Address address={only} copyable={false} />
      </>
    )
  }
  return `, by ${needed === 1 ? 'one' : needed} of ${formatQuantity(attesters.length, 'attester')}`
}

const unitNames: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
}

/** `at most 365 days old`. */
function ageWords(maxAge: string): string {
  const [, count = '', unit = ''] = /^(\d+)([smhdw])$/.exec(maxAge) ?? []
  const name = unitNames[unit]
  return `at most ${name === undefined ? maxAge : formatQuantity(Number(count), name)} old`
}

/** The terms come each before those within, whose paths begin with its own. */
function treeOf(terms: readonly GateTerm[]): readonly Branch[] {
  const roots: Branch[] = []
  const open: Branch[] = []
  for (const term of terms) {
    const branch: Branch = { term, within: [] }
    while (open.length > 0 && !isWithin(term.path, open.at(-1)?.term.path ?? '')) open.pop()
    ;(open.at(-1)?.within ?? roots).push(branch)
    open.push(branch)
  }
  return roots
}

function isWithin(path: string, outer: string): boolean {
  return path !== outer && (outer === '' || path.startsWith(`${outer}.`))
}
