/** How programs use a client key, by language: with the OpenFeature provider for OFREP of each, or its protocol. */

interface KeyUse {
  readonly publicUrl: string
  readonly key: string
}

function javascript({ publicUrl, key }: KeyUse): string {
  return `import { OpenFeature } from '@openfeature/web-sdk'
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider'

await OpenFeature.setContext({ targetingKey: 'user-123' })
await OpenFeature.setProviderAndWait(
  new OFREPWebProvider({
    baseUrl: '${publicUrl}',
    headers: [['X-API-Key', '${key}']],
  }),
)
const client = OpenFeature.getClient()
const isNew = client.getBooleanValue('NEW_CHECKOUT', false)`
}

function python({ publicUrl, key }: KeyUse): string {
  return `from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

api.set_provider(OFREPProvider("${publicUrl}", headers_factory=lambda: {"X-API-Key": "${key}"}))
user = EvaluationContext(targeting_key="user-123")
is_new = api.get_client().get_boolean_value("NEW_CHECKOUT", False, user)`
}

function go({ publicUrl, key }: KeyUse): string {
  return `import (
	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
)

openfeature.SetProviderAndWait(ofrep.NewProvider("${publicUrl}", ofrep.WithApiKeyAuth("${key}")))
user := openfeature.NewEvaluationContext("user-123", nil)
isNew, err := openfeature.NewClient("app").BooleanValue(ctx, "NEW_CHECKOUT", false, user)`
}

function java({ publicUrl, key }: KeyUse): string {
  return `OfrepProviderOptions options = OfrepProviderOptions.builder()
    .baseUrl("${publicUrl}")
    .headers(ImmutableMap.of("X-API-Key", ImmutableList.of("${key}")))
    .build();
OpenFeatureAPI api = OpenFeatureAPI.getInstance();
api.setProviderAndWait(OfrepProvider.constructProvider(options));
boolean isNew = api.getClient().getBooleanValue("NEW_CHECKOUT", false, new ImmutableContext("user-123"));`
}

function csharp({ publicUrl, key }: KeyUse): string {
  return `var options = new OfrepOptions("${publicUrl}/")
{
    Headers = new Dictionary<string, string> { ["X-API-Key"] = "${key}" }
};
await Api.Instance.SetProviderAsync(new OfrepProvider(options));
var user = EvaluationContext.Builder().SetTargetingKey("user-123").Build();
var isNew = await Api.Instance.GetClient().GetBooleanValueAsync("NEW_CHECKOUT", false, user);`
}

function curl({ publicUrl, key }: KeyUse): string {
  return `curl ${publicUrl}/ofrep/v1/evaluate/flags \\
  -H 'X-API-Key: ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"context":{"targetingKey":"user-123"}}'`
}

/** Returns the code by language. */
export function keySnippets(use: KeyUse): Readonly<Record<string, string>> {
  return {
    JavaScript: javascript(use),
    Python: python(use),
    Go: go(use),
    Java: java(use),
    'C#': csharp(use),
    curl: curl(use),
  }
}
