import { useState } from 'react'
import { Card } from './Card.tsx'
import { CopyButton } from './CopyButton.tsx'
import styles from './RawJson.module.css'

export interface RawJsonProps {
  /** `Raw record`. */
  readonly title: string
  readonly value: unknown
  /** The path of the record in the interface. */
  readonly path: string
}

/** The JSON of a record, or a part of it. It is formatted only when opened: payloads can be long. */
export function RawJson({ title, value, path }: RawJsonProps) {
  const [isOpen, setOpen] = useState(false)
  const text = isOpen ? escapeHidden(JSON.stringify(value, null, 2)) : ''
  return (
    <Card flush>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className={styles.summary}>{title}</summary>
        {isOpen && (
          <div className={styles.content}>
            <p className={styles.path}>
              <a href={path}>
                <code>GET {path}</code>
              </a>
              <CopyButton value={text} label="Copy JSON" />
            </p>
            {/* Scrolls, so it has to take the focus. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <pre className={styles.json} tabIndex={0} role="region" aria-label={`${title} as JSON`}>
              {text}
            </pre>
          </div>
        )}
      </details>
    </Card>
  )
}

/** The same JSON with invisible and reordering characters as escapes. */
function escapeHidden(json: string): string {
  return json.replaceAll(/[\p{Cf}\u2028\u2029\u3164\uFFA0\u115F\u1160\u2800]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
