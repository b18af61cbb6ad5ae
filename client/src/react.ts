import {
  createContext,
  createElement,
  type FunctionComponent,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { ChangeEvent } from './changes.ts'
import type { BehindChain } from './behind.ts'
import type { Client, RequestOptions } from './createClient.ts'
import type { DataOf, Parameters, PathOfData } from './paths.ts'

/** The hooks of `@attestry/client/react`. */

const ClientContext = createContext<Client | null>(null)

/** Provides the client that the hooks of all components below use. */
export const AttestryProvider: FunctionComponent<{
  readonly client: Client
  readonly children?: ReactNode
}> = ({ client, children }) => createElement(ClientContext.Provider, { value: client }, children)

/** The client of the nearest `AttestryProvider`. */
export function useAttestry(): Client {
  const client = useContext(ClientContext)
  if (client === null) throw new Error('useAttestry needs an AttestryProvider above the component.')
  return client
}

/** The answer of a path. `data` stays while the same question is asked again. */
export interface Reading<Data> {
  readonly data: Data | undefined
  /** The failure of the last reading; null once one succeeds. */
  readonly error: Error | null
  readonly isLoading: boolean
  /**
   * The chains of the last answer on which the index is behind. Records and revocations may be missing: do not decide by
   * `data`. An empty list while nothing is missing.
   */
  readonly behind: readonly BehindChain[]
}

export interface ReadingOptions {
  /** Repeats the reading at each change of the index that passes this filter; `{}`: at any change. */
  readonly follow?: Parameters<'/scan/events'>
}

/** Reads a path: `useReading('/scan/attestations/{id}', { id })`. Asks again when the parameters change. */
export function useReading<Path extends PathOfData>(
  path: Path,
  parameters: Parameters<Path>,
  { follow }: ReadingOptions = {},
): Reading<DataOf<Path>> {
  const client = useAttestry()
  const question = JSON.stringify([path, parameters])
  const [state, setState] = useState<Reading<DataOf<Path>> & { readonly question: string }>(() =>
    unread(question),
  )
  const [turn, setTurn] = useState(0)

  useEffect(() => {
    const ended = new AbortController()
    setState((last) =>
      last.question === question ? { ...last, isLoading: true } : unread<DataOf<Path>>(question),
    )
    const [askedPath, askedParameters] = JSON.parse(question) as [Path, Parameters<Path>]
    const get = client.get as (
      path: Path,
      parameters: Parameters<Path>,
      options: RequestOptions,
    ) => Promise<DataOf<Path>>
    let behind: readonly BehindChain[] = []
    const onBehind = (chains: readonly BehindChain[]) => {
      behind = chains
    }
    get(askedPath, askedParameters, { signal: ended.signal, onBehind }).then(
      (data) => setState({ question, data, error: null, isLoading: false, behind }),
      (error: unknown) => {
        if (ended.signal.aborted) return
        setState((last) => ({ ...last, error: error as Error, isLoading: false, behind }))
      },
    )
    return () => ended.abort()
  }, [client, question, turn])

  useChanges(follow ?? null, () => setTurn((last) => last + 1))
  return state.question === question ? state : unread(question)
}

/** Calls back for each change of the index that passes the filter, while the component is mounted; null: for none. */
export function useChanges(
  filter: Parameters<'/scan/events'> | null,
  onChange: (change: ChangeEvent) => void,
): void {
  const client = useAttestry()
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  const asked = JSON.stringify(filter)
  useEffect(() => {
    const parsed = JSON.parse(asked) as Parameters<'/scan/events'> | null
    if (parsed === null) return
    const ended = new AbortController()
    const follow = async () => {
      for await (const change of client.changes(parsed, { signal: ended.signal })) latest.current(change)
    }
    // A filter that the server refuses yields no changes; a failed connection is opened again.
    follow().catch(() => undefined)
    return () => ended.abort()
  }, [client, asked])
}

function unread<Data>(question: string): Reading<Data> & { readonly question: string } {
  return { question, data: undefined, error: null, isLoading: true, behind: [] }
}
