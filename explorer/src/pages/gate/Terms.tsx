import type { GateTerm } from '../../api/types.ts'
import { Icon } from '../../components/Icon.tsx'
import { AttestationLink } from '../../components/RecordLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { localIdOf } from '../../format/localIdOf.ts'
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

/** What each term of a policy comes to, the terms within below it. */
export function Terms({ terms }: { readonly terms: readonly GateTerm[] }) {
  return <Level branches={treeOf(terms)} />
}

function Level({ branches }: { readonly branches: readonly Branch[] }) {
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
              <SafeText text={term.reason} lengthMax={600} expandable />
              {term.because.length > 0 && <Records ids={term.because} />}
            </span>
          </div>
          {within.length > 0 && <Level branches={within} />}
        </li>
      ))}
    </ul>
  )
}

function Records({ ids }: { readonly ids: readonly string[] }) {
  return (
    <span className={styles.records}>
      {ids.map((id) => (
        <AttestationLink key={id} id={id} localId={localIdOf(id)} />
      ))}
    </span>
  )
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
