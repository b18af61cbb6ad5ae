import { once } from 'node:events'
import { createServer as createProbe, type AddressInfo } from 'node:net'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { StartError } from '@attestry/core/errors/configErrors.ts'

/** The address that the API listens on. */
export interface ListenAddress {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

/**
 * Checks that an address can be listened on, by listening for a moment. Returns the port; a free one for port 0.
 * @throws StartError
 */
export async function assertListenable({ host, port }: ListenAddress): Promise<number> {
  const probe = createProbe()
  try {
    probe.listen({ host, port })
    await once(probe, 'listening')
    return boundPort(probe.address())
  } catch (error) {
    throw new StartError(describeListenFailure(error, { host, port }), { cause: error })
  } finally {
    probe.close()
  }
}

/** The URL of an address for clients on this machine, without a slash at the end. */
export function formatBaseUrl({ host, port }: ListenAddress): string {
  // 0.0.0.0 and :: mean every interface, the loopback included; clients cannot connect to them on every system.
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

export function boundPort(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** One sentence on why an address cannot be listened on. */
export function describeListenFailure(error: unknown, { host, port }: ListenAddress): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use; choose another with --port or the environment variable PORT`
    case 'EACCES':
      return `Port ${port} on ${host} may not be used by this user; choose one from 1024 on with --port or the environment variable PORT`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host ${host} is no address of this machine; choose another with --host or the environment variable HOST`
    default:
      return `The server cannot listen on port ${port} of ${host}: ${describeError(error)}`
  }
}
