import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { ErrorState } from '../components/ErrorState.tsx'

/** What a page shows instead of itself when it failed. A part that could not be loaded (after an update, say) is loaded anew. */
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
