"""Names of services that hand out keys. Beside one of them, a bare random value is taken for its key."""

from __future__ import annotations

from nanobot_memory_plugins.redaction.rules.word_lists import words

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
