import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { findNetwork, listNetworks, type Network } from '@attestry/host/networks/knownNetworks.ts'
import { writeError } from '@attestry/host/writeFileWhole.ts'
import { chooseEndpoints, chooseNetworks, chooseProtocols } from './chooseChains.ts'
import { formatConfigFile, type ChosenChain } from './formatConfigFile.ts'

/** Options of `attestry init`, not yet checked. */
export interface InitFlags {
  readonly chains?: string
  readonly protocols?: string
  /** Each a URL, or `CHAIN=URL`. */
  readonly rpc?: readonly string[]
  readonly output?: string
  readonly force?: boolean
}

/** Asks a person one question, and resolves with the answer. */
export type Ask = (question: string) => Promise<string>

/**
 * Writes a configuration file, and returns lines that say what is left to do. Asks for everything that the flags omit.
 * @param ask null without a terminal: the flags must then hold everything.
 * @throws ConfigError for a mistake in a flag or in an answer, and for a file that exists.
 */
export async function runInit(flags: InitFlags, ask: Ask | null): Promise<readonly string[]> {
  const file = flags.output ?? 'attestry.yaml'
  if (flags.force !== true && existsSync(file)) {
    throw new ConfigError(`The file ${file} exists; --force overwrites the file, --output names another`)
  }
  const networks = listNetworks(knownProtocols.chains, knownProtocols.deployments)
  const chosen = chooseNetworks(flags.chains ?? (await require(ask, 'chains', questions.chains)), networks)
  const given = sortEndpoints(flags.rpc ?? [], chosen)
  const chains: ChosenChain[] = []
  const variables: NonNullable<HiddenEndpoint['variable']>[] = []
  for (const network of chosen) {
    const own = network.deployments.map(({ protocol }) => protocol).join(', ')
    const question = `Protocols on ${network.title} (${own}; empty for all): `
    // The names of protocols are few, and a flag without any means all.
    const words = flags.protocols ?? (ask === null || flags.chains !== undefined ? '' : await ask(question))
    const protocols = chooseProtocols(words, network, knownProtocols.names)
    const listed = given.get(network) ?? []
    const urls = listed.length > 0 ? listed : await askEndpoints(network, ask)
    const hidden = urls.map((url, index) => hideKey(url, variableName(network, index)))
    variables.push(...hidden.flatMap(({ variable }) => variable ?? []))
    chains.push({ network, protocols, endpoints: hidden.map(({ url }) => url) })
  }
  await writeNew(file, formatConfigFile(chains), flags.force === true)
  return describeNext(
    file,
    variables.map(({ name }) => name),
  )
}

const questions = {
  chains: 'Chains, by name or id, such as optimism, base (attestry networks lists them): ',
}

async function require(ask: Ask | null, flag: string, question: string): Promise<string> {
  if (ask !== null) return ask(question)
  throw new ConfigError(`Without a terminal to ask on, attestry init needs the option --${flag}`)
}

async function askEndpoints(network: Network, ask: Ask | null): Promise<readonly string[]> {
  const question = `JSON-RPC endpoints of ${network.title}, by URL: `
  return chooseEndpoints(await require(ask, `rpc ${network.name}=URL`, question))
}

/** The endpoints of each network: `CHAIN=URL` names the network, and a bare URL is for the only one. */
function sortEndpoints(
  words: readonly string[],
  chosen: readonly Network[],
): ReadonlyMap<Network, readonly string[]> {
  const sorted = new Map<Network, string[]>()
  for (const word of words) {
    const match = /^([^=:/]+)=(.*)$/s.exec(word)
    const [, name, text = word] = match ?? []
    const [only] = chosen
    const network =
      name === undefined
        ? only
        : (chosen.find(({ chainId }) => String(chainId) === name) ?? findNetwork(name, chosen))
    if (name === undefined && chosen.length > 1) {
      throw new ConfigError(
        `With several chains, --rpc must be CHAIN=URL, such as ${only?.name}=https://rpc.example`,
      )
    }
    if (network === undefined || network === null) {
      throw new ConfigError(
        `The option --rpc names ${quoteText(name ?? '')}, which is none of the chains ${chosen.map((each) => each.name).join(', ')}`,
      )
    }
    sorted.set(network, [...(sorted.get(network) ?? []), ...chooseEndpoints(text)])
  }
  return sorted
}

/** The variable of an endpoint: `OP_MAINNET_RPC`, `OP_MAINNET_RPC_2`. */
function variableName({ name }: Network, index: number): string {
  const base = `${name.toUpperCase().replaceAll('-', '_')}_RPC`
  return index === 0 ? base : `${base}_${index + 1}`
}

async function writeNew(file: string, text: string, force: boolean): Promise<void> {
  try {
    // The flag `wx` refuses a file that another process has created in the meantime.
    await writeFile(file, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    throw writeError(`The file ${file}`, error)
  }
}

function describeNext(file: string, variables: readonly string[]): readonly string[] {
  const start = `attestry start${file === 'attestry.yaml' ? '' : ` --config ${file}`}`
  if (variables.length === 0) return [`Wrote ${file}. Next: ${start}`]
  return [
    `Wrote ${file}. URLs that may hold a key are not in the file; set them before the start, in the environment:`,
    ...variables.map((name) => `  export ${name}='…'`),
    `Next: ${start}`,
  ]
}

/** An endpoint as the configuration file holds it, and the environment variable that it needs, if any. */
interface HiddenEndpoint {
  readonly url: string
  /** The variable's name and its value, which the file must not hold; null if the URL shows no key. */
  readonly variable: { readonly name: string; readonly value: string } | null
}

/**
 * Replaces the whole URL of an endpoint by `${NAME}` if a part of the URL may be a key. Such a part is a user, a query,
 * or a path segment with 16 or more letters and digits.
 */
function hideKey(text: string, name: string): HiddenEndpoint {
  // Such a text names a variable already.
  if (text.includes('${')) return { url: text, variable: null }
  const url = new URL(text)
  const isSecret =
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.pathname.split('/').some((part) => /^[\w.~%-]{16,}$/.test(part))
  return isSecret ? { url: `\${${name}}`, variable: { name, value: text } } : { url: text, variable: null }
}
