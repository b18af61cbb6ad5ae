import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { describeUrl, quoteText } from '@attestry/host/config/describeValue.ts'
import { suggestName } from '@attestry/host/config/suggestName.ts'
import { findNetwork, hintAtNetwork, type Network } from '@attestry/host/networks/knownNetworks.ts'

/** The networks that a list such as `optimism, 8453` names. @throws ConfigError */
export function chooseNetworks(text: string, known: readonly Network[]): readonly Network[] {
  const chosen = splitList(text).map((word) => {
    const found = known.find(({ chainId }) => String(chainId) === word) ?? findNetwork(word, known)
    if (found !== null) return found
    throw new ConfigError(`${quoteText(word)} is not a known network; ${hintAtNetwork(word, known)}`)
  })
  if (chosen.length === 0) throw new ConfigError('Name at least one chain, such as optimism')
  return [...new Set(chosen)]
}

/**
 * The protocols of a list such as `eas, sign` that a network has; all of the network's where the list is empty.
 * @throws ConfigError for a name of no protocol, and where the network has none of them.
 */
export function chooseProtocols(text: string, network: Network, names: readonly string[]): readonly string[] {
  const own = network.deployments.map(({ protocol }) => protocol)
  const wanted = splitList(text)
  for (const word of wanted) {
    if (names.includes(word)) continue
    const suggestion = suggestName(word, names)
    const hint = suggestion === null ? `the protocols are ${names.join(', ')}` : `did you mean ${suggestion}?`
    throw new ConfigError(`${quoteText(word)} is not a known protocol; ${hint}`)
  }
  const chosen = wanted.length === 0 ? own : own.filter((protocol) => wanted.includes(protocol))
  if (chosen.length > 0) return chosen
  throw new ConfigError(
    `${network.title} has no known deployment of ${wanted.join(', ')}; it has ${own.join(', ')}`,
  )
}

/** The endpoint URLs of a list. @throws ConfigError for a text that is not the URL of an endpoint. */
export function chooseEndpoints(text: string): readonly string[] {
  const urls = splitList(text)
  for (const url of urls) {
    const isVariable = /^(?:(?:https?|wss?):\/\/\S*)?\$\{[A-Za-z_][A-Za-z0-9_]*\}\S*$/i.test(url)
    if (isVariable || (URL.canParse(url) && /^(?:http|ws)s?:\/\//i.test(url))) continue
    throw new ConfigError(
      `An endpoint must be a URL that starts with http://, https://, ws:// or wss://, but is ${describeUrl(url)}`,
    )
  }
  if (urls.length === 0) throw new ConfigError('Name at least one endpoint, such as https://rpc.example')
  return [...new Set(urls)]
}

/** The words between commas and spaces. */
function splitList(text: string): readonly string[] {
  return text.split(/[,\s]+/).filter((word) => word !== '')
}
