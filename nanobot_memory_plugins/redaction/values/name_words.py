"""The words that tell what a name names. What they mean together, ``key_names`` says."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.rules.word_lists import words

PASSWORD = words(
    "password pasword passwrod passowrd kouling passwd passwrd passwort pwd pswd psw passphrase passcode pass pw"
    " passw userpass mima "
    "kennwort senha contrasena storepass keypass sshpass dbpass rootpass adminpass ftppass mailpass smtppass masterauth"
    " requirepass keystorepass truststorepass"
)
PASSWORD_ENDS = ("password", "passwd", "pwd", "passphrase", "passwort", "storepass", "keypass", "authtok")
TOKEN = words(
    "passwords secret token jwt bearer credential credentials creds authorization authtoken accesstoken refreshtoken"
    " privkey passkey authkey xsrf csrf secrets"
)
COMPOUND = words(
    "apikey appkey accesskey secretkey privatekey secretaccesskey clientsecret authkey authtoken accesstoken apitoken"
    " signingkey encryptionkey masterkey appsecret accountkey sharedkey sharedaccesskey licensekey apisecret"
    " refreshtoken bottoken secretid idtoken sessiontoken presharedkey psk storagekey servicekey deploykey"
    " codeverifier sessdata miyao samlresponse samlrequest samlassertion authenticationstring rediscliauth unsealkey"
)
COMPOUND_ENDS = ("secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "credential")
CODE = words("pin cvv cvc cvv2 cvc2 csc otp totp mfa 2fa smscode")
CODE_BEFORE = words("door gate alarm lock safe verification security sms auth verify access recovery backup otp mfa")
WEAK = words(
    "key keys session sessionid sid phpsessid jsessionid signature sig salt pepper hmac private tokens"
    " cookie cookies access asp webhook license licence auth cred oauth pat"
)
KEY_BEFORE = words(
    "api app access secret private priv auth encryption encrypt encrypted decryption decrypt signing sign signature"
    " master service account shared storage client license licence subscription admin server deploy deployment"
    " consumer hmac aes des rsa ssh ssl tls webhook integration ingest ingestion write read"
    " personal developer dev prod production live test gpg pgp root wallet jwt bot merchant pay payment"
    " sdk rest function fernet crypto cipher recovery backup security activation vendor partner preshared psk cloud"
    " publishable restricted registration management rpc"
)
SECRET_BEFORE = words(
    "client app application access api auth oauth oauth2 refresh id bearer session user bot webhook shared signing"
    " consumer personal private deploy deployment service account jwt csrf xsrf security registration access-token"
    " github gitlab slack npm pypi hf device push admin server account tenant channel corp my db the aws gh ci"
)
KEY_NOT_BEFORE = words(
    "site public pub primary foreign partition sort cache index hash map dict object row i18n translation"
    " shortcut hot arrow"
    " unique composite natural candidate group order sorting lookup idempotency routing registry event field column"
    " config setting settings json yaml dedup dedupe sharding shard lock redis no any each every same parent child"
    " metric label header query param parameter env-var feature flag item entry dictionary storage-class message topic"
    " issue jira ticket product range bucket s3 prefix kv left right up down enter escape tab space home end"
    " return delete backspace ctrl alt shift meta the surrogate schema context session content blob file job record"
    " artifact image asset doc document chunk segment trace span run task queue stream entity project org organization"
    " user instance agent environment env node thread conversation channel sort partition cluster tenant "
    "workspace first second third last new old"
)
KEY_ENDS_NOT = words("site mon tur hot don hoc whis joc lac mic low on get set has no del")
"""What makes another word of ``...key``."""
TOKEN_NOT_BEFORE = words(
    "max min num n count total prompt completion input output cached reasoning next page continuation "
    "cursor sync pad eos"
    " bos unk sep cls mask special stop vocab first last current peek lexer parser word sub image audio thinking"
    " context unused used remaining estimated avg average per tool"
)
SWITCH = words(
    "is has have had no needs need require requires required show hide toggle use uses using enable enabled enables"
    " disable disabled allow allows allowed forgot forget enter missing invalid valid wrong incorrect weak "
    "strong keep copy existing"
    " remove delete edit select supports support without with can should must ask asks remember hash mask compare"
)
ABOUT_AFTER = words(
    "sha count counts length len size limit limits max min name names label file files filename path paths dir "
    "directory type"
    " types kind policy policies expiry expires expire expiration expired exp ttl age url uri urls endpoint host field"
    " fields column columns id ids idx index version versions ver strength rule rules hint reset required attempts"
    " attempt retries retry usage used budget algorithm algo alg format provider manager store vault service class"
    " error errors status state validator validation validators regex pattern prompt title description desc text-field"
    " placeholder input page form help encoding encoder decoder info issuer audience scope scopes cost costs price rate"
    " per window callback handler generator generation rotation confirm-label changed change updated at date time"
    " timestamp since last ref refs reference selector arn location source backend engine enabled disabled"
    " mode method methods header headers prefix suffix separator delimiter typ bytes-len bits area board dao util utils"
    " helper helpers test-name check checker checks estimate estimation estimator count-total position positions offset"
    " lifetime duration days hours minutes seconds dict map list set word words stats metrics distance probability"
    " logprob logprobs embeddings embedding embed budget-tokens sum chunk chunks stream getter setter func function"
    " flow protocol param params parameter parameters option options config configuration settings setting template"
    " example examples docs doc documentation tutorial guide migration table tables row rows exchange response request"
    " mask masked fingerprint thumbprint alias aliases press down up code-challenge event events code frame board pair"
    " round encryption mgr manager dialog window screen widget group groups tag tags tree node nodes ring "
    "bindings binding binder"
)
NEUTRAL_AFTER = words(
    "value values val string str text txt plain plaintext plaintextvalue raw b64 base64 encoded encrypted "
    "enc hash hashed"
    " prod production staging stage stg dev develop development test testing live sandbox qa uat old new "
    "current default"
    " primary secondary backup main root admin user local remote master base here now data env key secret "
    "token password"
    " auth basic again confirm confirmation repeat verify bytes hex pem a b c x y i ro rw readonly"
)
VENDOR_NAMES = words(
    """
    abstractapi adafruit adobe adyen agora airbrake airtable aiven akamai alchemy algolia alibaba alipay aliyun
    amplitude
    anthropic apify apollo appveyor artifactory asana assemblyai atlassian auth0 authress aviationstack azure baichuan
    baidu beamer binance bing bintray bitbucket bitfinex bitly bittrex blazemeter blynk braintree braze
    browserstack bscscan
    bugsnag buildkite bunny bybit bytedance calendly censys chartmogul circleci clarifai clearbit clickhouse clickup
    clojars cloudant cloudflare cloudinary cloudsmith cockroach codacy codeclimate codecov cohere coinapi coinbase
    coinlayer coinmarketcap confluence confluent contentful coveralls cryptocompare currencylayer customerio dashscope
    databricks datadog datarobot deepai deepgram deepl deepseek detectify dialogflow digicert digitalocean
    dingtalk discord
    discourse disqus docker dockerhub docusign doppler droneci dropbox duffel dynatrace easypost elasticemail elastic
    elevenlabs etherscan etsy eventbrite exoscale facebook fastly feishu figma finicity finnhub firebase fixer flickr
    flutterwave flyio foursquare freshbooks freshdesk fullstory gemini geocodio ghost giphy github gitlab gitee gitter
    gocardless grafana groq gumroad hackerone harness hashicorp helpscout heroku honeybadger honeycomb hotjar hubspot
    huawei huggingface hunter ibm infobip infracost infura instagram intercom ipinfo ipstack jenkins jfrog jira
    jumpcloud
    kaggle keycloak kickbox klaviyo kraken kucoin lark launchdarkly lemonsqueezy line linear linkedin linode lob loggly
    logzio lokalise looker mailchimp mailerlite mailgun mailjet mailtrap mandrill mapbox mapquest mapquestapi mattermost
    maxmind mediastack meilisearch meraki messagebird metabase midjourney minimax mistral mixpanel monday mongodb
    moonshot
    mux nessus netlify newrelic newsapi ngrok nightfall notion nuget nvidia nylas nytimes okta omise onelogin onesignal
    openai openrouter openweather openweathermap opsgenie optimizely packagecloud packagist pagerduty pandadoc paypal
    paystack perplexity pinata pinecone pinterest pipedream pipedrive pivotal plaid planetscale plivo polygon posthog
    postman postmark prefect pulumi pusher qiniu qualtrics quickbooks quicknode rabbitmq rapid7 rapidapi razorpay
    readme reddit replicate retool rollbar rubygems runpod salesforce saucelabs scaleway scalingo scrapfly scrapingbee
    segment semaphore sendbird sendgrid sendinblue sentry serpapi serpstack shippo shodan shopify siliconflow sinch
    slack snowflake snyk sonar sonarcloud sonarqube sourcegraph sparkpost splunk spotify square squarespace
    stackpath statuspage storyblok sumo strava stripe sumologic supabase surveymonkey tailscale tavily telegram
    telnyx tencent
    tiktok todoist together travis travisci trello twelvedata twilio twitch twitter typeform unsplash uptimerobot
    urlscan
    vagrant vercel virustotal volcengine vonage vultr wakatime weatherbit weatherstack webex wechat weibo whatsapp
    woocommerce
    wordpress workos wrike xendit xray yandex yelp youtube zapier zendesk zenrows zerobounce zeplin zerotier zhipu
    zoho zoom
    """
)
"""Names of services that hand out keys. Beside one of them, a bare random value is taken for its key."""
