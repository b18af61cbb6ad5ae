import { createContext, use } from 'react'
import { useNow } from './now.ts'

/** The moment that the page shows, in Unix seconds; undefined for the present. */
export const MomentContext = createContext<number | undefined>(undefined)

/** The only chain that a page as of a block shows; undefined for pages of every chain. */
export const MomentChainContext = createContext<string | undefined>(undefined)

export function useMomentChain(): string | undefined {
  return use(MomentChainContext)
}

/** Whether the page shows the past. */
export function useIsPast(): boolean {
  return use(MomentContext) !== undefined
}

/** The value of `show` for the moment of the page; for the present as `useNow`. */
export function useMoment<Shown extends string | number | boolean | null>(
  show: (seconds: number) => Shown,
): Shown {
  const past = use(MomentContext)
  return useNow((now) => show(past ?? now))
}
