import { useMomentChain } from '../useMoment.ts'
import { useChainName } from './useChainChoices.ts'

/** The chains of a list in words: those that its filter and the moment of the page leave. */
export function ListedChains({ chainId }: { readonly chainId: string | undefined }) {
  const shown = useMomentChain() ?? chainId
  const name = useChainName(shown)
  return <>{shown === undefined ? 'every chain' : name}</>
}
