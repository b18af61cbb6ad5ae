import { expect, test } from 'vitest'
import { createV4Signer } from './signV4.ts'

test('a request is signed as in the example of AWS', () => {
  const sign = createV4Signer(
    {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      sessionToken: null,
      region: 'us-east-1',
    },
    () => new Date('2013-05-24T00:00:00Z'),
  )
  const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt')
  expect(sign({ method: 'GET', url, body: null, headers: { range: 'bytes=0-9' } })).toEqual({
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date': '20130524T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, ' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  })
})
