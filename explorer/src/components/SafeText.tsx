import { useMemo, useState } from 'react'
import { formatCount } from '../format/formatCount.ts'
import { inspectText, type TextPart } from '../format/inspectText.ts'
import { Icon } from './Icon.tsx'
import styles from './SafeText.module.css'

export interface SafeTextProps {
  readonly text: string
  /** Characters that are shown at first. */
  readonly lengthMax?: number
  /** Whether the rest can be asked for; not within a link. */
  readonly expandable?: boolean
  /** Line breaks of the text are kept. */
  readonly multiline?: boolean
}

/**
 * Text from a chain, which may be deceptive. The text direction is isolated, invisible and reordering characters appear
 * as marks, and mixed alphabets get a warning. `inspectText` has the rules.
 */
export function SafeText({ text, lengthMax = 300, expandable = false, multiline = false }: SafeTextProps) {
  const [isWhole, setWhole] = useState(false)
  const { parts, hiddenLength, warnings } = useMemo(
    () => inspectText(text, isWhole ? Infinity : lengthMax),
    [text, lengthMax, isWhole],
  )
  return (
    <span className={styles.text}>
      <bdi dir="auto" className={multiline ? styles.multiline : undefined}>
        {parts.map((part, index) => {
          if (part.kind === 'text') return part.text
          const before = marksBefore(parts, index)
          if (before > marksMax) return null
          const isRest = before === marksMax && parts[index + 1]?.kind === 'mark'
          return (
            <span key={index} className={styles.mark} title={isRest ? undefined : part.name}>
              {isRest ? `+${formatCount(countMarks(parts, index))}` : part.codePoint}
            </span>
          )
        })}
        {hiddenLength > 0 && '…'}
      </bdi>
      {warnings.length > 0 && (
        <span
          className={styles.warning}
          role="img"
          aria-label={`Warning: ${warnings.join(' ')}`}
          title={warnings.join('\n')}
        >
          <Icon name="warning" />
        </span>
      )}
      {expandable && hiddenLength > 0 && (
        <button type="button" className={styles.more} onClick={() => setWhole(true)}>
          Show all {formatCount(text.length)} characters
        </button>
      )}
    </span>
  )
}

/** Marks in a row that are shown one by one; of more than that, how many they are. */
const marksMax = 3

function marksBefore(parts: readonly TextPart[], index: number): number {
  let count = 0
  while (parts[index - 1 - count]?.kind === 'mark' && count <= marksMax) count++
  return count
}

function countMarks(parts: readonly TextPart[], from: number): number {
  let count = 0
  while (parts[from + count]?.kind === 'mark') count++
  return count
}

/** The warnings of a text spelt out, for the page about that text. Renders nothing if there are no warnings. */
export function TextWarnings({ text }: { readonly text: string }) {
  const { warnings } = useMemo(() => inspectText(text), [text])
  if (warnings.length === 0) return null
  return (
    <ul className={styles.warnings}>
      {warnings.map((warning) => (
        <li key={warning}>
          <Icon name="warning" />
          <span>{warning}</span>
        </li>
      ))}
    </ul>
  )
}
