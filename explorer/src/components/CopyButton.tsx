import { useEffect, useState } from 'react'
import { Icon } from './Icon.tsx'
import styles from './CopyButton.module.css'

const saidMs = 1600

interface Said {
  /** The value. */
  readonly of: string
  readonly outcome: 'copied' | 'failed'
}

/** Puts a value into the clipboard and says so. `label` names it: `Copy address`. */
export function CopyButton({ value, label }: { readonly value: string; readonly label: string }) {
  const [said, setSaid] = useState<Said | null>(null)
  // Another value has not been copied.
  const outcome = said?.of === value ? said.outcome : null
  useEffect(() => {
    if (said === null) return undefined
    const timer = setTimeout(() => setSaid(null), saidMs)
    return () => clearTimeout(timer)
  }, [said])
  const copy = () => {
    copyText(value).then(
      () => setSaid({ of: value, outcome: 'copied' }),
      () => setSaid({ of: value, outcome: 'failed' }),
    )
  }
  return (
    <button
      type="button"
      className={styles.button}
      aria-label={label}
      title={label}
      data-outcome={outcome}
      onClick={copy}
    >
      <Icon name={outcome === 'copied' ? 'check' : outcome === 'failed' ? 'close' : 'copy'} />
      <span role="status" className="visuallyHidden">
        {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Copying was not allowed' : ''}
      </span>
    </button>
  )
}

/** `navigator.clipboard` exists only in secure contexts; a service in a local network often lacks one. */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text)
    return
  }
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visuallyHidden'
  document.body.append(area)
  area.select()
  // Deprecated, and the only way without a secure context.
  const copied = document.execCommand('copy')
  area.remove()
  if (!copied) throw new Error('the browser did not copy')
}
