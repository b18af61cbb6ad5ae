import { AttestryError } from '@attestry/client/attestryError.ts'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import styles from './EmptyState.module.css'
import { classNames } from './classNames.ts'

export interface ErrorStateProps {
  readonly error: unknown
  /** Asks again. */
  readonly onRetry?: () => void
  /** Whether it fills a whole page; its title is then the heading of the page. */
  readonly wholePage?: boolean
}

/** Says what failed, what to do about it, and lets one try again. */
export function ErrorState({ error, onRetry, wholePage = false }: ErrorStateProps) {
  const { title, advice } = describe(error)
  // The same mistake in a request gets the same answer again.
  const isMistake = error instanceof AttestryError && isMistaken(error)
  const Title = wholePage ? 'h1' : 'p'
  return (
    <div className={styles.state} role="alert">
      <Icon name="warning" className={classNames(styles.icon, styles.bad)} />
      <Title className={styles.title}>{title}</Title>
      <div className={styles.text}>
        <p>{advice}</p>
        {onRetry !== undefined && !isMistake && (
          <Button onClick={onRetry}>
            <Icon name="retry" /> Try again
          </Button>
        )}
      </div>
    </div>
  )
}

/** Whether the request itself is wrong, such as one with a malformed id. */
export function isMistaken({ status }: AttestryError): boolean {
  return status >= 400 && status < 500 && status !== 429
}

function describe(error: unknown): { readonly title: string; readonly advice: string } {
  if (!(error instanceof AttestryError)) {
    return {
      title: 'Something went wrong on this page',
      advice: 'Load the page again; the records themselves are safe.',
    }
  }
  if (error.status === 0)
    return {
      title: 'The server does not answer',
      advice: 'Check that it runs and that you are connected, then try again.',
    }
  if (error.status === 429) return { title: 'Too many requests', advice: 'Wait a moment, then try again.' }
  if (error.status === 404) return { title: 'Not found', advice: error.message }
  if (error.status >= 500)
    return {
      title: 'The index cannot be read at the moment',
      advice: 'It usually comes back within seconds. Try again.',
    }
  return { title: 'This cannot be answered', advice: error.message }
}
