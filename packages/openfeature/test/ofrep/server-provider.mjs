// OpenFeature's OFREP provider for servers, unmodified. Its types need older ones than the SDK has, so this file is not checked.
import { OFREPProvider } from '@openfeature/ofrep-provider'
import { OpenFeature } from '@openfeature/server-sdk'

export { OpenFeature }

let domains = 0

export async function connect(baseUrl, headers) {
  const domain = `ofrep-${domains++}`
  await OpenFeature.setProviderAndWait(domain, new OFREPProvider({ baseUrl, headers }))
  return OpenFeature.getClient(domain)
}
