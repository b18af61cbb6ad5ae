import { createClient } from '../../../client/src/createClient.ts'

/** The interface of the server that the page came from. Queries are repeated by their own client. */
export const api = createClient({ baseUrl: window.location.origin, retries: 0 })
