import { type Api, type ApiOptions, createApi } from '@rollkey/sdk/core'

/** The API limits a request to 30 seconds itself. */
const timeoutMs = 60_000

/** Connects to the API of the service that this page is from. A failed call is for the person to repeat. */
export function connect(token?: ApiOptions['token']): Api {
  return createApi({
    url: location.origin,
    // The page itself arrived the same way.
    allowHttp: true,
    retry: false,
    timeoutMs,
    fetch: (url, init) => fetch(url, { ...init, credentials: 'omit' }),
    ...(token !== undefined && { token }),
  })
}
