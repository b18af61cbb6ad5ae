import { createClient } from '@attestry/client/createClient.ts'
import { noteAnswer } from './serverContact.ts'

/** The interface of the server that the page came from. Queries are repeated by their own client. */
export const api = createClient({ baseUrl: window.location.origin, retries: 0 })

/** An answer that takes longer, in milliseconds, is given up: a connection that broke off in silence has none. */
const chainsTimeoutMs = 8_000

/** Asks for the chains, past the cache of the browser: these answers tell how fresh the page is. */
export const chainsApi = createClient({
  baseUrl: window.location.origin,
  retries: 0,
  timeoutMs: chainsTimeoutMs,
  fetch: async (input, init) => {
    const response = await fetch(input, { ...init, cache: 'no-store' })
    const body = await response.arrayBuffer()
    if (response.ok) noteAnswer(response.headers)
    return new Response(body, response)
  },
})
