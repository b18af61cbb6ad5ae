/**
 * The element <attestry-verified>, for pages of any origin: says whether an address passes a policy of this server, or
 * is verified under a schema by an attester. It keeps nothing, sets no cookie and no inline style, and writes text only
 * as text. The guide has its attributes (/guide/verified).
 */
/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- browsers read the file as it is, without types */

/** The folder of this script: the server that answers, also behind a proxy that adds a path. */
const server = new URL('.', import.meta.url)
const timeoutMs = 15_000
const nameLengthMax = 60

const style = new CSSStyleSheet()
style.replaceSync(`
:host { display: inline-block; }
:host([hidden]) { display: none; }
a, span {
  display: inline-block; padding: 0.2em 0.7em; border: 1px solid; border-radius: 999px;
  font: 500 0.8125rem/1.4 system-ui, sans-serif; text-decoration: none;
  color: light-dark(#565b6b, #a2a8b8); background: light-dark(#ffffff, #15171c);
}
a:hover { text-decoration: underline; }
[data-verdict='allow'] { color: light-dark(#14703f, #5fd598); }
[data-verdict='deny'] { color: light-dark(#b3261e, #ff8f87); }
[data-verdict='unknown'] { color: light-dark(#8a5200, #f2b857); }
`)

const addressPattern = /^0x[0-9a-f]{40}$/i

/** @type {Map<string, Promise<string>>} */
const names = new Map()

/** Asks the server. Rejects with its own sentence. */
async function ask(path, body) {
  const request =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(new URL(path, server), {
    ...request,
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(timeoutMs),
  })
  const { data, message } = await response.json()
  if (!response.ok) throw new Error(message)
  return data
}

/** The name of a schema, cut and without control characters: strangers wrote it. Its id if it has none. */
async function nameOf(id) {
  const { name } = await ask(`scan/schemas/${encodeURIComponent(id)}`)
  const text = String(name)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
  const characters = [...text]
  if (text === '') return id
  return characters.length <= nameLengthMax ? text : `${characters.slice(0, nameLengthMax - 1).join('')}…`
}

/** The question of the attributes. Throws a sentence for the author of the page. */
function questionOf(element) {
  const read = (name) => (element.getAttribute(name) ?? '').trim()
  const [policy, schema, address] = [read('policy'), read('schema'), read('address')]
  if ((policy === '') === (schema === '')) throw new Error('Set either policy or schema.')
  if (!addressPattern.test(address)) throw new Error('address must be 0x and 40 hexadecimal digits.')
  if (policy !== '') return { policy, schema: null, address, link: `policy=${encodeURIComponent(policy)}` }
  const attester = read('attester').split(/[\s,]+/)
  if (!attester.every((each) => addressPattern.test(each))) {
    throw new Error('attester must have the addresses that you trust: anybody may attest under a schema.')
  }
  const rule = { holds: { schema, attester } }
  return { policy: rule, schema, address, link: `rule=${encodeURIComponent(JSON.stringify(rule))}` }
}

const words = {
  allow: ['Verified by', 'Passes'],
  deny: ['Not verified by', 'Does not pass'],
  unknown: ['Not known at the moment: verified by', 'Not known at the moment: passes'],
}

class AttestryVerified extends HTMLElement {
  static observedAttributes = ['address', 'attester', 'policy', 'schema']

  #asked = 0
  #root = this.attachShadow({ mode: 'open' })

  constructor() {
    super()
    this.#root.adoptedStyleSheets = [style]
  }

  connectedCallback() {
    void this.#check()
  }

  attributeChangedCallback() {
    if (this.isConnected) void this.#check()
  }

  /** Checks once for all attributes that a script sets together. Only the newest question is shown. */
  async #check() {
    const turn = ++this.#asked
    await Promise.resolve()
    if (turn !== this.#asked) return
    try {
      const question = questionOf(this)
      this.#show('Checking …')
      const [{ rows }, name] = await Promise.all([
        ask('scan/gate', { policy: question.policy, subjects: [question.address] }),
        question.schema === null ? question.policy : this.#nameOf(question.schema),
      ])
      if (turn !== this.#asked) return
      const [{ verdict, because, reasons }] = rows
      const [ofSchema, ofPolicy] = words[verdict]
      const page =
        verdict === 'allow' && because.length > 0
          ? `attestation/${because[0]}`
          : `gate?${question.link}&address=${question.address}`
      const text = [`${question.schema === null ? ofPolicy : ofSchema} `, name]
      this.#show(text, { verdict, href: new URL(page, server).href, title: reasons.join('\n') })
      const detail = { address: question.address, verdict, because, reasons }
      this.dispatchEvent(new CustomEvent('attestry-verdict', { detail, bubbles: true, composed: true }))
    } catch (error) {
      if (turn !== this.#asked) return
      // oxlint-disable-next-line no-console -- the author of the page looks for the mistake there
      console.error(`<attestry-verified>: ${error.message}`)
      this.#show('Could not be checked', { title: error.message })
    }
  }

  /** A name that cannot be read is no reason to hide the verdict. */
  #nameOf(schema) {
    const reading = names.get(schema) ?? nameOf(schema)
    names.set(schema, reading)
    return reading.catch(() => {
      names.delete(schema)
      return schema
    })
  }

  /** @param text a text, or words and a name that may be of another writing direction. */
  #show(text, { verdict = 'none', href = null, title = '' } = {}) {
    const shown = document.createElement(href === null ? 'span' : 'a')
    if (href !== null) Object.assign(shown, { href, target: '_blank', rel: 'noopener noreferrer' })
    Object.assign(shown, { title, role: href === null ? 'status' : null })
    shown.setAttribute('part', 'verdict')
    shown.dataset.verdict = verdict
    if (typeof text === 'string') shown.textContent = text
    else {
      const name = document.createElement('bdi')
      name.textContent = text[1]
      shown.append(text[0], name)
    }
    this.#root.replaceChildren(shown)
  }
}

if (customElements.get('attestry-verified') === undefined) {
  customElements.define('attestry-verified', AttestryVerified)
}
