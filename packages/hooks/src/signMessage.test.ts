import { expect, test } from 'vitest'
import { parseSecret, signedHeaders } from './signMessage.ts'

/** The example of the libraries of Standard Webhooks. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' }
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

test('a message is signed as the standard says, with each of two secrets', () => {
  expect(signedHeaders(message, [secret], 1614265330)).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  })
  const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const both = signedHeaders(message, [other, secret], 1614265330)['webhook-signature'].split(' ')
  expect(both).toHaveLength(2)
  expect(both[1]).toBe(signature)
})

test.each(['', 'whsec_', 'whsec_AAAA', secret.slice(6), `${secret}!`, `whsec_${'A'.repeat(200)}`])(
  '%j is no secret',
  (text) => expect(parseSecret(text)).toBeNull(),
)
