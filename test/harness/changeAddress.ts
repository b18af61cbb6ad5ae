import dns from 'node:dns'
import { onTestFinished, vi } from 'vitest'

/** An address of this machine at which no test listens. */
const formerAddress = '127.0.0.9'

/** Lets a name lead to an address where nothing listens for the first `wrong` lookups, and to 127.0.0.1 afterwards. */
export function changeAddress(name: string, wrong: number): { readonly lookups: () => number } {
  const { lookup } = dns
  let lookups = 0
  const spy = vi.spyOn(dns, 'lookup').mockImplementation((host: string, ...rest: unknown[]) => {
    if (host !== name) return (lookup as (...all: unknown[]) => void)(host, ...rest)
    const address = lookups++ < wrong ? formerAddress : '127.0.0.1'
    const done = rest.at(-1) as (error: null, addresses: unknown, family?: number) => void
    const isAll = (rest[0] as { readonly all?: boolean }).all === true
    setImmediate(() => (isAll ? done(null, [{ address, family: 4 }]) : done(null, address, 4)))
  })
  onTestFinished(() => spy.mockRestore())
  return { lookups: () => lookups }
}
