import { OFREPWebProvider } from '@openfeature/ofrep-web-provider'
import { OpenFeature, OpenFeatureProvider, useContextMutator, useFlag } from '@openfeature/react-sdk'
import { createRoot } from 'react-dom/client'

const { VITE_ROLLKEY_URL: baseUrl, VITE_ROLLKEY_CLIENT_KEY: clientKey } = import.meta.env

/** A visitor who has not signed in keeps a random id, and with it the sides of rolls. */
const visitor = (localStorage.visitor ??= crypto.randomUUID())

OpenFeature.setProvider(new OFREPWebProvider({ baseUrl, headers: [['X-API-Key', clientKey]] }), {
  targetingKey: visitor,
})

function Checkout() {
  const { value: isNew, variant, reason } = useFlag('NEW_CHECKOUT', false)
  return (
    <p role="status">
      {isNew ? 'The new checkout' : 'The old checkout'} ({reason}
      {variant && `, ${variant}`})
    </p>
  )
}

/** A change of the context evaluates all flags again, with one request. */
function SignIn() {
  const { setContext } = useContextMutator({ defaultContext: true })
  return <button onClick={() => setContext({ targetingKey: 'user-1', plan: 'pro' })}>Sign in</button>
}

createRoot(document.getElementById('root')).render(
  <OpenFeatureProvider>
    <Checkout />
    <SignIn />
  </OpenFeatureProvider>,
)
