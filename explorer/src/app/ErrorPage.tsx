import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { ErrorState } from '../components/ErrorState.tsx'

/** Replaces a page that failed. A chunk that could not be loaded (after an update, say) is loaded again. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <ErrorState
      error={error}
      wholePage
      onRetry={() => {
        reset()
        void router.invalidate()
      }}
    />
  )
}
