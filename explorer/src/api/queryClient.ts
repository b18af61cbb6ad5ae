import { QueryCache, QueryClient } from '@tanstack/react-query'
import { AttestryError } from '@attestry/client/attestryError.ts'
import { learnNames } from './knownNames.ts'

/** Answers are asked for anew after this long, when they are looked at again. */
const staleMs = 10_000
const retriesMax = 2

export function createQueryClient(): QueryClient {
  return new QueryClient({
    // Before the page renders the answer.
    queryCache: new QueryCache({ onSuccess: learnNames }),
    defaultOptions: {
      queries: {
        staleTime: staleMs,
        retry: (failures, error) =>
          failures < retriesMax && (!(error instanceof AttestryError) || error.isPassing),
        // The interface is on the same host as the page: the browser's idea of the network says nothing about its
        // state.
        networkMode: 'always',
      },
    },
  })
}
